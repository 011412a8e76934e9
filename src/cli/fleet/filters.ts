import { fits, type LabelFilter } from '../../analysis/fleet/dimensions.ts';
import type { FleetSession } from '../../model/fleet-session.ts';
import { type OptionSpec, type ParsedArguments, UsageError } from '../command.ts';
import { listOption } from '../parse-arguments.ts';

export const whereOption: OptionSpec = {
  type: 'string',
  value: 'LABEL=VALUE',
  multiple: true,
  help: 'only sessions with it: a label, version, tier, day, source or verdict; a comma that no LABEL= follows is part of the value',
};

/** The conditions of `--where`; UsageError. */
export function whereFilters(parsed: ParsedArguments): LabelFilter[] {
  return listOption(parsed, 'where').flatMap((text) => parseFilters('--where', text));
}

/** UsageError for arguments of a command that takes none. */
export function refuseArguments({ positionals: [first] }: ParsedArguments): void {
  if (first === undefined) return;
  throw new UsageError(`what is "${first}"? sessions are chosen with --where LABEL=VALUE`);
}

/** `version=1.2`, or several of them with commas between; UsageError naming where it was given. */
export function parseFilters(name: string, text: string): LabelFilter[] {
  // A comma may also be a part of a value.
  return text.split(/,(?=[^,=]+=)/).map((part) => {
    const at = part.indexOf('=');
    if (at < 1) throw new UsageError(`${name} takes LABEL=VALUE, not "${part}"`);
    return { label: part.slice(0, at), value: part.slice(at + 1) };
  });
}

export function* matching(
  sessions: Iterable<FleetSession>,
  filters: readonly LabelFilter[],
): IterableIterator<FleetSession> {
  for (const session of sessions) if (fits(session, filters)) yield session;
}
