import { emitKeypressEvents } from 'node:readline';
import type { TopLook } from '../../report/terminal/top-look.ts';

export type TopChoice = Pick<TopLook, 'sort' | 'showsRoles' | 'isPaused' | 'showsHelp'>;

export interface Key {
  /** What it types; undefined for arrows and the like. */
  sequence: string | undefined;
  isControl: boolean;
}

export const firstChoice: TopChoice = {
  sort: 'memory',
  showsRoles: true,
  isPaused: false,
  showsHelp: false,
};

/** What a key changes; `quit` for q and Ctrl-C, and the choice as it was for all that mean nothing. */
export function pressed(choice: TopChoice, key: Key): TopChoice | 'quit' {
  if (key.isControl) return key.sequence === '\u0003' ? 'quit' : choice;
  switch (key.sequence) {
    case 'q':
    case 'Q':
      return 'quit';
    case 'm':
    case 'M':
      return { ...choice, sort: 'memory' };
    case 'p':
    case 'P':
      return { ...choice, sort: 'cpu' };
    case 'g':
    case 'G':
      return { ...choice, sort: 'growth' };
    case 'r':
    case 'R':
      return { ...choice, showsRoles: !choice.showsRoles };
    case ' ':
      return { ...choice, isPaused: !choice.isPaused };
    case '?':
    case 'h':
      return { ...choice, showsHelp: !choice.showsHelp };
    default:
      return choice;
  }
}

/** Keys as they are pressed, not line by line, until it is disposed of. Nothing where stdin is no terminal. */
export function listenToKeys(
  onKey: (key: Key) => void,
  stdin: NodeJS.ReadStream = process.stdin,
): Disposable {
  if (!stdin.isTTY) return { [Symbol.dispose]: () => undefined };
  const listener = (_: string | undefined, key: { sequence?: string; ctrl?: boolean }) =>
    onKey({ sequence: key.sequence, isControl: key.ctrl === true });
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.on('keypress', listener);
  stdin.resume();
  return {
    [Symbol.dispose]() {
      stdin.off('keypress', listener);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}
