import fs from 'node:fs';
import { type OnTransfer, pullRecording } from '../../attach/pull-recording.ts';
import type { SessionCollector } from '../../attach/session-collector.ts';
import { HeadroomError } from '../../model/errors.ts';
import { formatBytes } from '../../model/format-bytes.ts';
import { printable } from '../../report/printable.ts';
import type { CommandIo, ParsedArguments } from '../command.ts';
import { nameOption } from '../parse-arguments.ts';
import { recordingPath } from '../recording-path.ts';
import { shellQuote } from '../shell-quote.ts';

export const outOption = {
  type: 'string',
  value: 'FILE',
  help: 'the file to write; default headroom-<session>-<time>.db',
} as const;

/** The file that a recording is brought to; FILE_EXISTS, as none is ever overwritten. */
export function pulledFile(parsed: ParsedArguments, sessionName: string): string {
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const word = sessionName.replaceAll(/[^\w.-]+/g, '-').slice(0, 80);
  const out = recordingPath(nameOption(parsed, 'out') ?? `headroom-${word}-${stamp}.db`);
  if (fs.lstatSync(out, { throwIfNoEntry: false }) !== undefined) {
    throw new HeadroomError('FILE_EXISTS', `${out}: exists`, {
      hint: 'Choose another name; a recording is never overwritten.',
    });
  }
  return out;
}

/** Brings the recording to `out`, and says how that goes. */
export async function pullTo(
  collector: SessionCollector,
  out: string,
  io: CommandIo,
): Promise<void> {
  const isLive = io.stderr.isTTY === true;
  const onTransfer: OnTransfer = (received, size) => {
    if (!isLive) return;
    const share = size === 0 ? 100 : Math.floor((100 * received) / size);
    io.stderr.write(`\r\u001b[Kfetching  ${share} % of ${formatBytes(size)}`);
  };
  const size = await pullRecording(collector, out, onTransfer);
  if (isLive) io.stderr.write('\r\u001b[K');
  io.stderr.write(
    `${formatBytes(size)} in ${printable(out)}, checked; next: headroom report ${shellQuote(out)}\n`,
  );
}
