import { requireNewFile } from '../../attach/new-file.ts';
import { type OnTransfer, type PullOptions, pullRecording } from '../../attach/pull-recording.ts';
import type { SessionCollector } from '../../attach/session-collector.ts';
import { TelemetryWatch } from '../../attach/telemetry/telemetry-watch.ts';
import { toldWords } from '../../attach/telemetry/told-words.ts';
import { formatBytes } from '../../model/format-bytes.ts';
import { printable } from '../../report/printable.ts';
import { shellQuote } from '../../report/shell-quote.ts';
import type { CommandIo, ParsedArguments } from '../command.ts';
import { pathOption } from '../parse-arguments.ts';
import { recordingPath } from '../recording-path.ts';

export const outOption = {
  type: 'string',
  value: 'FILE',
  help: 'the file to write; default headroom-<session>-<time>.db',
} as const;

/** The file that a recording is brought to; FILE_EXISTS, as none is ever overwritten, FILE_NOT_WRITABLE. */
export function pulledFile(parsed: ParsedArguments, sessionName: string): string {
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const word = sessionName.replaceAll(/[^\w.-]+/g, '-').slice(0, 80);
  const out = recordingPath(pathOption(parsed, 'out') ?? `headroom-${word}-${stamp}.db`);
  requireNewFile(out);
  return out;
}

export interface PullIo {
  io: Pick<CommandIo, 'stderr'>;
  /** Says nothing of the file that has come. */
  isQuiet: boolean;
  /** As of {@link PullOptions}. */
  complete?: PullOptions['complete'];
}

/** Brings the recording to `out`, and says how that goes; gives its size. */
export async function pullTo(
  collector: SessionCollector,
  out: string,
  { io, isQuiet, complete }: PullIo,
): Promise<number> {
  const isLive = io.stderr.isTTY === true;
  const onTransfer: OnTransfer = (received, size) => {
    if (!isLive) return;
    const share = size === 0 ? 100 : Math.floor((100 * received) / size);
    io.stderr.write(`\r\u001b[Kfetching  ${share} % of ${formatBytes(size)}`);
  };
  const size = await pullRecording(collector, out, {
    onTransfer,
    ...(complete === undefined ? {} : { complete }),
  });
  if (isLive) io.stderr.write('\r\u001b[K');
  if (isQuiet) return size;
  io.stderr.write(
    `${formatBytes(size)} in ${printable(out)}, checked; next: headroom report ${shellQuote(out)}\n`,
  );
  return size;
}

/**
 * Brings home all that there will be: with what telemetry told, of which it is said when not all was taken.
 * As {@link pullTo}.
 */
export async function pullLastTo(
  collector: SessionCollector,
  out: string,
  io: PullIo['io'],
): Promise<void> {
  const telemetry = new TelemetryWatch(collector.session, {
    isLive: false,
    onTold: (event) => io.stderr.write(`${printable(toldWords(event))}\n`),
  });
  const complete = await telemetry.beginLastCopy();
  await pullTo(collector, out, { io, isQuiet: false, complete });
}
