import { existsSync, readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import type { RecordingEvent } from '../../src/model/event.ts';
import { openRecording } from '../../src/store/reader.ts';
import { runCli, temporaryFolder } from '../support/headroom-cli.ts';

const folder = temporaryFolder();

afterAll(() => folder[Symbol.dispose]());

/** What a perl program does in 400 MiB, and what was told of it. */
async function recordAlerts(name: string, program: string) {
  const file = folder.file(`${name}.db`);
  const told = folder.file(`${name}.told`);
  const result = await runCli(
    ...['record', '--memory-limit', '400MiB', '--interval', '500ms', '--out', file, '--quiet'],
    ...['--alert', 'headroom<200MiB', '--alert', 'time-to-limit<20s'],
    ...['--alert-run', `echo "$HEADROOM_ALERT_RULE" >> ${told}`],
    ...['--', '/usr/bin/perl', '-e', program],
  );
  using recording = openRecording(file);
  const rules = existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n') : [];
  return { result, rules, events: recording.events() };
}

function alerts(events: readonly RecordingEvent[], rule: string) {
  const notes = events.filter((event) => event.kind === 'note');
  return notes.filter(({ code, message }) => code === 'alert' && message.startsWith(rule));
}

test('an alert is told once, by all ways, before the kernel kills', async () => {
  // 80 MB a second.
  const leak =
    'my @kept; for (;;) { push @kept, "x" x 8_000_000; select undef, undef, undef, 0.1 }';
  const { result, rules, events } = await recordAlerts('leak', leak);
  expect(result.exitCode).toBe(137);

  const kill = events.find((event) => event.kind === 'oom_kill' && !event.beforeStart);
  const [alert, ...more] = alerts(events, 'headroom<200MiB');
  expect(more).toEqual([]);
  expect(alert?.timeUnixMs).toBeLessThan(kill?.timeUnixMs ?? 0);
  expect(alert?.message).toMatch(/^headroom<200MiB: [\d.]+ MiB of 400 MiB left/);
  expect(result.stderr.match(/^alert headroom<200MiB: /gm)).toHaveLength(1);
  expect(rules.filter((rule) => rule === 'headroom<200MiB')).toHaveLength(1);
  expect(alerts(events, 'time-to-limit').length).toBeLessThanOrEqual(1);
  const [trend] = alerts(events, 'time-to-limit');
  const leads = [alert, trend].map((note) =>
    note === undefined ? 'none' : `${((kill?.timeUnixMs ?? 0) - note.timeUnixMs) / 1000} s`,
  );
  console.log(`before the kill: headroom ${leads[0]}, time to the limit ${leads[1]}`);
});

test('nothing is told of a program that stays where it is', async () => {
  const calm = 'my $kept = "x" x 20_000_000; sleep 4';
  const { result, rules, events } = await recordAlerts('calm', calm);
  expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  expect(rules).toEqual([]);
  expect(alerts(events, '')).toEqual([]);
});
