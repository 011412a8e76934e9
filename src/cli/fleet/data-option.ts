import type { OptionSpec, ParsedArguments } from '../command.ts';
import { pathOption } from '../parse-arguments.ts';

const usualFolder = 'headroom-fleet';

export const dataOption: OptionSpec = {
  type: 'string',
  value: 'DIR',
  help: `folder of the data set (default ./${usualFolder})`,
};

/** Where the data set is. Errors: {@link pathOption}. */
export function dataFolder(parsed: ParsedArguments): string {
  return pathOption(parsed, 'data') ?? usualFolder;
}
