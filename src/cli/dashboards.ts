import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { errnoOf, HeadroomError } from '../model/errors.ts';
import { printable } from '../report/printable.ts';
import type { Command, ParsedArguments } from './command.ts';
import { UsageError } from './command.ts';
import { OutputError, OutputFile, outputError } from './output-file.ts';
import { nameOption, pathOption, switchOption } from './parse-arguments.ts';

export const dashboardsCommand: Command = {
  name: 'dashboards',
  summary: 'Writes the Grafana dashboards, the Prometheus rules and the runbooks of the alerts.',
  usage: ['headroom dashboards [--out DIR] [--runbooks URL] [--force] [--json]'],
  options: {
    out: { type: 'string', value: 'DIR', help: 'into this folder; default headroom-dashboards' },
    runbooks: {
      type: 'string',
      value: 'URL',
      help: 'where you publish the runbooks; put before their names in the alerts',
    },
    force: { type: 'boolean', help: 'replace files that differ from what is written' },
    json: { type: 'boolean', help: 'what was written, as JSON' },
  },
  examples: [
    'headroom dashboards',
    'headroom dashboards --out /etc/grafana/headroom',
    'headroom dashboards --runbooks https://wiki.example.com/headroom',
  ],
  async run(parsed, io) {
    if (parsed.positionals.length > 0) {
      throw new UsageError(`what is "${parsed.positionals[0]}"? the folder is given with --out`);
    }
    const folder = pathOption(parsed, 'out') ?? 'headroom-dashboards';
    const runbooks = runbooksOption(parsed);
    const files = shippedFiles().map((file) => ({
      path: path.join(folder, file.name),
      kind: file.kind,
      text: placed(file, runbooks),
    }));
    const different = files.filter(isDifferent).map((file) => file.path);
    if (different.length > 0 && !switchOption(parsed, 'force')) throw refusal(different);
    for (const made of [folder, ...sources.map(({ to }) => path.join(folder, to))])
      makeFolder(made);
    for (const file of files) await writeFile(file);
    const listed = files.map(({ path: written, kind }) => ({ path: written, kind }));
    io.stdout.write(
      switchOption(parsed, 'json')
        ? `${JSON.stringify({ schemaVersion: 1, folder, files: listed }, null, 2)}\n`
        : `${listed.map((file) => file.path).join('\n')}\n`,
    );
    for (const file of different) io.stderr.write(`replaced, it differed: ${printable(file)}\n`);
    io.stderr.write(`What to do with them: ${fileURLToPath(manual)}\n`);
    return 0;
  },
};

// In the package, as what is written.
const manual = new URL('../../docs/grafana.md', import.meta.url);

type Kind = 'dashboard' | 'rules' | 'runbook';

interface ShippedFile {
  /** Below the folder that is written. */
  name: string;
  kind: Kind;
  source: URL;
}

/** Where the package has them, seen from src/cli and from dist/cli alike, and what each becomes. */
const sources: readonly { kind: Kind; from: string; to: string }[] = [
  { kind: 'dashboard', from: '../../dashboards/generated/grafana/', to: 'grafana' },
  { kind: 'rules', from: '../../dashboards/generated/prometheus/', to: 'prometheus' },
  { kind: 'runbook', from: '../../docs/runbooks/', to: 'runbooks' },
];

function shippedFiles(): ShippedFile[] {
  return sources.flatMap(({ kind, from, to }) => {
    const folder = new URL(from, import.meta.url);
    const names = fs.readdirSync(fileURLToPath(folder)).sort();
    return names.map((name) => ({
      name: path.join(to, name),
      kind,
      source: new URL(name, folder),
    }));
  });
}

// The alerts name their pages as they lie beside them.
const besideRules = /^(\s*runbook_url: )runbooks\//gm;

function placed({ kind, source }: ShippedFile, runbooks: string | null): string {
  const text = fs.readFileSync(source, 'utf8');
  return kind === 'rules' && runbooks !== null
    ? text.replace(besideRules, (_, label) => `${label}${runbooks}`)
    : text;
}

/** With a slash at its end; null when it was not given. */
function runbooksOption(parsed: ParsedArguments): string | null {
  const url = nameOption(parsed, 'runbooks');
  if (url === null) return null;
  if (!/^https?:\/\/[^\s"'#]+$/.test(url)) {
    throw new UsageError(`--runbooks: "${url}" is no http or https address`);
  }
  return url.replace(/\/?$/, '/');
}

// Not `recursive`: Node.js 20 goes round for ever where a folder cannot be made, as below /proc.
function makeFolder(folder: string): void {
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST') return;
    throw errno === null
      ? error
      : new OutputError(folder, `the folder cannot be made (${errno})`, error);
  }
}

/** Whether something else is there: an older one of ours, or what somebody made of it. */
function isDifferent(file: { path: string; text: string }): boolean {
  try {
    const found = fs.statSync(file.path, { throwIfNoEntry: false });
    return found?.isFile() === true && fs.readFileSync(file.path, 'utf8') !== file.text;
  } catch (error) {
    throw outputError(error, file.path);
  }
}

function refusal(files: readonly string[]): HeadroomError {
  const what = `${files.join(', ')}: there already, and different from what would be written`;
  return new HeadroomError('FILE_EXISTS', what, {
    hint: 'Choose another folder with --out, or add --force to replace them.',
  });
}

async function writeFile({ path: file, text }: { path: string; text: string }): Promise<void> {
  await using output = await OutputFile.create(file, []);
  await output.write(text);
  await output.finish();
}
