import { longestTimerMs } from '../../model/longest-timer.ts';
import {
  type ExecOptions,
  type ExecResult,
  type SessionCommand,
  usualOutputBytes,
} from '../session.ts';
import { machineEnd } from './machine-answers.ts';
import { endGroupScript, execScript } from './scripts.ts';
import { handOn, type RunningScript, type Shell } from './shell.ts';

/**
 * Runs a command to its end. One that takes too long, writes too much or is given up is ended there
 * with its process group; SESSION_CALL_FAILED, SESSION_UNREACHABLE when the connection broke.
 */
export async function execOn(
  shell: Shell,
  { command, cwd = '', env = {}, timeoutSeconds }: SessionCommand,
  { input, signal, limitBytes = usualOutputBytes }: ExecOptions,
): Promise<ExecResult> {
  const running = await shell.start(execScript, { args: [cwd, ...command], env });
  let problem: string | null = null;
  const end = (why: string) => {
    if (problem !== null) return;
    problem = why;
    // Best effort: a machine that cannot be reached any more goes on by itself.
    const ending = shell.run(endGroupScript, { args: [String(running.pid)] });
    void ending.catch(() => undefined).finally(() => running.leave());
  };
  const timer = setTimeout(
    () => end(`the command took longer than ${timeoutSeconds} s and was ended`),
    Math.min((timeoutSeconds ?? Number.POSITIVE_INFINITY) * 1_000, longestTimerMs),
  );
  const onAbort = () => end('given up, and the command ended');
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    const onMore = () => end(`the command wrote more than ${limitBytes} bytes`);
    const [stdout, stderr] = await Promise.all([
      limited(running.stdout, limitBytes, onMore),
      limited(running.stderr, limitBytes, onMore),
      running.ended,
      handOn(input, running.stdin),
    ]);
    if (problem !== null) throw shell.failure(problem);
    const told = endTold(stderr, running);
    if (told === null) throw shell.brokeOff();
    return { ...told, stdout };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Takes the line that tells the end out of what the command wrote. */
function endTold(stderr: Buffer, { mark }: RunningScript): Omit<ExecResult, 'stdout'> | null {
  const at = stderr.lastIndexOf(mark);
  if (at < 0) return null;
  const lineEnd = stderr.indexOf('\n', at);
  const line = stderr.toString('latin1', at + mark.length, lineEnd < 0 ? stderr.length : lineEnd);
  const [code, signal] = line.trim().split(' ');
  const rest = lineEnd < 0 ? Buffer.alloc(0) : stderr.subarray(lineEnd + 1);
  return { ...machineEnd(code, signal), stderr: Buffer.concat([stderr.subarray(0, at), rest]) };
}

async function limited(
  output: AsyncIterable<Uint8Array>,
  mostBytes: number,
  onMore: () => void,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of output) {
    length += chunk.length;
    if (length > mostBytes) onMore();
    else chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
