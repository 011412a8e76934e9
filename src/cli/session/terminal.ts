import type { TerminalSize } from '../../session/session.ts';
import type { CommandIo } from '../command.ts';

/** Of the terminal that stdout is; the usual one where it is none. */
export function terminalSize({ stdout }: CommandIo): TerminalSize {
  return { rows: stdout.rows || 24, cols: stdout.columns || 80 };
}

export interface OurInput {
  chunks: AsyncIterable<Uint8Array>;
  [Symbol.dispose](): void;
}

/** Our input as it comes. Disposed of, it keeps nobody waiting for more. */
export function ourInput(stdin: NodeJS.ReadStream = process.stdin): OurInput {
  return { chunks: stdin, [Symbol.dispose]: () => void stdin.destroy() };
}

/** Every key as it is pressed, Ctrl-C too; disposed of, the terminal is as it was. */
export function rawInput(stdin: NodeJS.ReadStream = process.stdin): OurInput {
  const wasRaw = stdin.isRaw;
  const input = ourInput(stdin);
  if (stdin.isTTY) stdin.setRawMode(true);
  return {
    chunks: input.chunks,
    [Symbol.dispose]: () => {
      if (stdin.isTTY) stdin.setRawMode(wasRaw);
      input[Symbol.dispose]();
    },
  };
}
