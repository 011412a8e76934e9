import { HeadroomError } from '../../model/errors.ts';
import { printable } from '../../report/printable.ts';
import type { CommandIo } from '../command.ts';

const mostTold = 100;

/** Tells each problem of a server once: a scraper comes again and again. */
export function problemTeller({ stderr }: Pick<CommandIo, 'stderr'>): (error: unknown) => void {
  const told = new Set<string>();
  return (error) => {
    const text =
      error instanceof HeadroomError
        ? `${error.message} [${error.code}]`
        : `this is a bug in headroom [INTERNAL]: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    if (told.has(text) || told.size >= mostTold) return;
    told.add(text);
    stderr.write(`${printable(text)}\n`);
  };
}
