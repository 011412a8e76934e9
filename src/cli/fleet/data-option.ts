import type { OptionSpec, ParsedArguments } from '../command.ts';
import { nameOption } from '../parse-arguments.ts';

const usualFolder = 'headroom-fleet';

export const dataOption: OptionSpec = {
  type: 'string',
  value: 'DIR',
  help: `folder of the data set (default ./${usualFolder})`,
};

/** Where the data set is. UsageError for an empty name. */
export function dataFolder(parsed: ParsedArguments): string {
  return nameOption(parsed, 'data') ?? usualFolder;
}
