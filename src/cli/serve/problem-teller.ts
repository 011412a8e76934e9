import { HeadroomError } from '../../model/errors.ts';
import { printable } from '../../report/printable.ts';
import type { CommandIo } from '../command.ts';
import { openFilesError } from '../open-files-error.ts';

const mostTold = 100;

/** Told an error, or the text of one that was met in a thread. */
export type ProblemTeller = (problem: unknown) => void;

/** Tells each problem of a server once: a scraper comes again and again. */
export function problemTeller({ stderr }: Pick<CommandIo, 'stderr'>): ProblemTeller {
  const told = new Set<string>();
  return (problem) => {
    const text = typeof problem === 'string' ? problem : (expectedProblem(problem) ?? bug(problem));
    if (told.has(text) || told.size >= mostTold) return;
    told.add(text);
    stderr.write(`${printable(text)}\n`);
  };
}

/** The text of an error that is no bug; null: it is one. */
export function expectedProblem(error: unknown): string | null {
  const known = openFilesError(error) ?? error;
  return known instanceof HeadroomError ? `${known.message} [${known.code}]` : null;
}

function bug(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `this is a bug in headroom [INTERNAL]: ${text}`;
}
