import { createHash } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyse } from '../../../src/analysis/session-report.ts';
import { windowReport } from '../../../src/analysis/window.ts';
import type { Recording } from '../../../src/model/recording.ts';
import { renderHtml } from '../../../src/report/page/html-file.ts';
import type { PageFile } from '../../../src/report/page/page-data.ts';
import { openRecording } from '../../../src/store/reader.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { writePageRecording } from '../../support/page-recording.ts';

const hostile = '</script><script>alert(1)</script><!--';
// As large as what is built.
const bundle = { script: `/*${'x'.repeat(90_000)}*/`, style: 'body{color:red}' };
const folder = temporaryFolder();

let recording: Recording;
let html: string;
let data: PageFile;

beforeAll(() => {
  const file = folder.file('hour.db');
  writePageRecording(file, { tickCount: 3_600, labels: { [hostile]: hostile } });
  recording = openRecording(file);
  html = renderHtml(recording, analyse(recording), { bundle });
  const [, json = ''] =
    /<script type="application\/json" id="page-data">(.*?)<\/script>/s.exec(html) ?? [];
  data = JSON.parse(json);
});
afterAll(() => {
  recording.close();
  folder[Symbol.dispose]();
});

test('an hour at 1 s is there sample by sample, in less than a megabyte', () => {
  const out = folder.file('hour.html');
  writeFileSync(out, html);
  expect(statSync(out).size).toBeLessThan(1_000_000);
  const known = data.pictures.session.figures.workingSetMaxBytes.filter((value) => value !== null);
  expect(known).toHaveLength(3_600);
});

test('what a label says ends no script and begins none', () => {
  expect(html.match(/<script/g)).toHaveLength(2);
  expect(html.match(/<\/script>/g)).toHaveLength(2);
  expect(html).not.toContain('<!--');
  expect(data.head.labels).toEqual({ [hostile]: hostile });
});

test('its policy knows its script and its style by their hashes, and allows nothing else', () => {
  const [, policy = ''] = /http-equiv="content-security-policy" content="([^"]*)"/.exec(html) ?? [];
  const hash = (text: string) => createHash('sha256').update(text).digest('base64');
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'sha256-${hash(bundle.script)}'`,
    `style-src 'sha256-${hash(bundle.style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ]);
});

test('its parts follow each other, and are together the whole', () => {
  const { parts, head } = data;
  expect(parts.length).toBeGreaterThan(200);
  expect(parts[0]?.fromUnixMs).toBe(head.fromUnixMs);
  expect(parts.at(-1)?.toUnixMs).toBe(head.toUnixMs);
  parts.forEach((part, at) => {
    if (at > 0) expect(part.fromUnixMs).toBe((parts[at - 1]?.toUnixMs ?? 0) + 1);
  });
  const weights = parts.reduce((sum, { workingSet }) => sum + (workingSet?.count ?? 0), 0);
  const whole = recording.distribution({ scope: 'session', metric: 'working_set' });
  expect(weights).toBe(whole?.count);
});

test('a window has what a report of the same stretch has', () => {
  const range = {
    fromUnixMs: data.head.fromUnixMs + 60_000,
    toUnixMs: data.head.fromUnixMs + 600_500,
  };
  const window = windowReport(recording, range);
  const { memory, browser } = analyse(recording, range);
  expect(window.workingSetBytes).toEqual(memory.workingSetBytes);
  expect(window.browserPssBytes).toEqual(browser.pssBytes);
  expect(window.availableBytes).toEqual({
    p1: memory.availableBytes.p1,
    p50: memory.availableBytes.p50,
  });
});
