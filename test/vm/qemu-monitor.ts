import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';

interface Message {
  return?: unknown;
  error?: { desc: string };
  event?: string;
}

/** QEMU's own protocol (QMP): one JSON a line; a command has its answer before the next is asked. */
export class QemuMonitor {
  readonly #socket: Socket;
  readonly #events: string[] = [];
  #answer: ((message: Message) => void) | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
    const lines = createInterface({ input: socket });
    lines.on('line', (line) => this.#hear(JSON.parse(line)));
    // It is reset when its machine is ended.
    lines.on('error', () => undefined);
  }

  /** Throws what QEMU refuses. */
  async ask(execute: string, args: object = {}): Promise<unknown> {
    const answered = new Promise<Message>((resolve) => {
      this.#answer = resolve;
    });
    this.#socket.write(`${JSON.stringify({ execute, arguments: args })}\n`);
    const message = await answered;
    if (message.error !== undefined) throw new Error(`${execute}: ${message.error.desc}`);
    return message.return;
  }

  /** How often QEMU has told an event: SUSPEND, WAKEUP, RESET and the like. */
  count(event: string): number {
    return this.#events.filter((name) => name === event).length;
  }

  #hear(message: Message): void {
    if (message.event !== undefined) this.#events.push(message.event);
    else if ('return' in message || message.error !== undefined) this.#answer?.(message);
  }
}
