import { HttpProblem } from '../http/problem.ts';
import { type LaunchedLine, type RunningChild, startChild } from './child.ts';
import type { ProcessEnd } from './frame.ts';
import { signalProcess } from './process-handle.ts';

export interface ExecOptions {
  /** Null: no limit. */
  timeoutSeconds: number | null;
  /** When the client goes away, the command is ended. */
  signal: AbortSignal;
  /** Whether its end ends all of its group; else only itself, and the rest is waited for. */
  signalsGroup: boolean;
  /** Of each of the two outputs. */
  limitBytes: number;
}

export interface ExecResult {
  end: ProcessEnd;
  stdout: Buffer;
  stderr: Buffer;
  durationMs: number;
}

/**
 * Runs a command to its end, and until nobody holds its outputs any more. A command that takes too
 * long (`timed_out`) or writes too much (413) is ended with its whole process group.
 */
export async function execute(
  line: LaunchedLine,
  options: ExecOptions,
): Promise<ExecResult | 'timed_out'> {
  const startedMs = performance.now();
  const child = await startChild(line);
  const outputs = collect(child, options.limitBytes);
  const stop = stopReason(options);
  const ended = await Promise.race([child.closed, outputs.tooLarge, stop.reason]);
  stop.dispose();
  if (typeof ended !== 'string') {
    return { end: ended, ...outputs.done(), durationMs: Math.round(performance.now() - startedMs) };
  }
  signalProcess(child.pid, 'KILL', options);
  await (options.signalsGroup ? child.exited : child.closed);
  if (ended === 'timed_out') return ended;
  const why =
    ended === 'too_large'
      ? `the command wrote more than ${options.limitBytes} bytes and was ended`
      : 'the client went away';
  throw new HttpProblem(413, why);
}

function collect(child: RunningChild, limitBytes: number) {
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const lengths = { stdout: 0, stderr: 0 };
  const tooLarge = new Promise<'too_large'>((resolve) => {
    child.onOutput(({ stream, data }) => {
      lengths[stream] += data.length;
      if (lengths[stream] > limitBytes) resolve('too_large');
      else chunks[stream].push(data);
    });
  });
  return {
    tooLarge,
    done: () => ({ stdout: Buffer.concat(chunks.stdout), stderr: Buffer.concat(chunks.stderr) }),
  };
}

function stopReason({ timeoutSeconds, signal }: ExecOptions) {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const reason = new Promise<'timed_out' | 'gone'>((resolve) => {
    if (timeoutSeconds !== null) {
      timer = setTimeout(() => resolve('timed_out'), timeoutSeconds * 1_000);
    }
    onAbort = () => resolve('gone');
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) resolve('gone');
  });
  return {
    reason,
    dispose: () => {
      clearTimeout(timer);
      if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    },
  };
}
