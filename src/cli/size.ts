import { formatCount } from '../analysis/format.ts';
import { size } from '../analysis/sizing/size.ts';
import { renderJson } from '../report/json.ts';
import { leftOutWords } from '../report/left-out-words.ts';
import { renderSizeText } from '../report/size-text.ts';
import type { Command } from './command.ts';
import { UsageError } from './command.ts';
import { fileProgress } from './file-progress.ts';
import { findRecordings } from './find-recordings.ts';
import { switchOption } from './parse-arguments.ts';
import { sizeOptionSpecs, sizeOptionsOf } from './size-options.ts';
import { textLook } from './text-look.ts';

export const sizeCommand: Command = {
  name: 'size',
  summary: 'Which memory tier sessions like these need, and how sure that is.',
  usage: ['headroom size FILE… [OPTIONS]', 'headroom size DIR… [OPTIONS]'],
  options: {
    ...sizeOptionSpecs,
    json: { type: 'boolean', help: 'as JSON' },
  },
  examples: [
    'headroom size recordings/*.db',
    'headroom size recordings --by workload',
    'headroom size recordings --tier 512MiB,1GiB,2GiB --fit 0.95',
    'headroom size recordings --json | jq .recommendation',
  ],
  async run(parsed, io) {
    if (parsed.positionals.length === 0) {
      throw new UsageError('which recordings? give FILEs, or a folder that has them');
    }
    const options = sizeOptionsOf(parsed);
    const { files, unreadable } = findRecordings(parsed.positionals);
    const progress = fileProgress(io);
    const ofFiles = size(files, { ...options, onFile: progress.onFile });
    progress.end();
    const notFound = unreadable.map(({ path, error }) => ({
      file: path,
      code: error.code,
      reason: error.message,
    }));
    const report = { ...ofFiles, skipped: [...ofFiles.skipped, ...notFound] };
    if (files.length + unreadable.length === 0) {
      io.stderr.write('headroom size: there is no recording (.db) in these folders\n');
    }
    for (const skipped of report.skipped) {
      const suffix = skipped.code === null ? '' : ` [${skipped.code}]`;
      io.stderr.write(`headroom size: left out: ${leftOutWords(skipped)}${suffix}\n`);
    }
    if (report.skipped.length > 0) {
      io.stderr.write(
        `headroom size: ${formatCount(report.skipped.length, 'file')} of ${files.length + unreadable.length} left out\n`,
      );
    }
    const text = switchOption(parsed, 'json')
      ? renderJson(report)
      : renderSizeText(report, textLook(io));
    io.stdout.write(text);
    return files.length > ofFiles.skipped.length ? 0 : 1;
  },
};
