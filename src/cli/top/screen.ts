import type { Line } from '../../report/text-layout.ts';
import { joinLines } from '../../report/text-layout.ts';
import type { CommandIo } from '../command.ts';

const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';
const home = '\u001b[H';
const clearLine = '\u001b[K';
const clearBelow = '\u001b[J';

/**
 * The alternate screen of a terminal, in plain ANSI. It is left when this is disposed of, and also when
 * the process ends by an error or an exit: before the error is printed, so that it can be read.
 */
export class Screen {
  readonly #stdout: CommandIo['stdout'];
  readonly #color: boolean;
  #isOpen = true;
  readonly #restore = () => this[Symbol.dispose]();

  constructor(io: Pick<CommandIo, 'stdout' | 'env'>) {
    this.#stdout = io.stdout;
    this.#color = isColoured(io.env);
    process.on('exit', this.#restore);
    process.on('uncaughtExceptionMonitor', this.#restore);
    this.#stdout.write(enter);
  }

  draw(lines: readonly Line[]): void {
    // No line break after the last: it would scroll.
    const text = joinLines(lines, { color: this.#color })
      .slice(0, -1)
      .replaceAll('\n', `${clearLine}\r\n`);
    if (this.#isOpen) this.#stdout.write(`${home}${text}${clearLine}${clearBelow}`);
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    process.off('exit', this.#restore);
    process.off('uncaughtExceptionMonitor', this.#restore);
    // To a terminal Node.js writes at once, also in an exit handler.
    this.#stdout.write(leave);
  }
}

/** https://no-color.org: set, and not empty. */
function isColoured(env: CommandIo['env']): boolean {
  return (env['NO_COLOR'] ?? '') === '';
}
