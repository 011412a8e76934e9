import { type DiffQuestion, fleetDiff } from '../../analysis/fleet/fleet-diff.ts';
import { renderFleetDiff } from '../../report/fleet/diff-text.ts';
import { renderJson } from '../../report/json.ts';
import { FleetData } from '../../store/fleet/fleet-data.ts';
import { type Command, type ParsedArguments, UsageError } from '../command.ts';
import { nameOption, switchOption, textOption } from '../parse-arguments.ts';
import { parseShare } from '../quantities.ts';
import { textLook } from '../text-look.ts';
import { dataFolder, dataOption } from './data-option.ts';
import { matching, parseFilters, whereFilters, whereOption } from './filters.ts';

export const fleetDiffCommand: Command = {
  name: 'fleet diff',
  summary:
    'Whether sessions of B need more memory than those of A: by how much, how sure that is, and that it cannot be told where it cannot.',
  usage: ['headroom fleet diff A B [OPTIONS], each LABEL=VALUE[,LABEL=VALUE…]'],
  options: {
    margin: {
      type: 'string',
      value: 'SHARE',
      help: 'a difference that is smaller does not matter (default 0.05)',
    },
    confidence: { type: 'string', value: 'SHARE', help: 'how sure it is to be (default 0.95)' },
    by: { type: 'string', value: 'LABEL', help: 'for each value of a label as well' },
    'fail-if-more': { type: 'boolean', help: 'exit code 1 when B needs more' },
    where: whereOption,
    data: dataOption,
    json: { type: 'boolean', help: 'as JSON' },
  },
  examples: [
    'headroom fleet diff version=1.1 version=1.2',
    'headroom fleet diff version=1.1 version=1.2 --where workload=shop --margin 0.02',
    'headroom fleet diff day=2026-11-29 day=2026-11-30 --by workload',
    'headroom fleet diff version=1.1 version=1.2 --fail-if-more --json > diff.json',
  ],
  async run(parsed, io) {
    const question = questionOf(parsed);
    const filters = whereFilters(parsed);
    using data = new FleetData(dataFolder(parsed), 'read');
    const diff = fleetDiff(matching(data.sessions(), filters), question);
    io.stdout.write(
      switchOption(parsed, 'json')
        ? renderJson(diff)
        : renderFleetDiff(diff, question, textLook(io)),
    );
    if (diff.a.sessions === 0 || diff.b.sessions === 0) return 1;
    return switchOption(parsed, 'fail-if-more') && diff.verdict === 'more' ? 1 : 0;
  },
};

function questionOf(parsed: ParsedArguments): DiffQuestion {
  const [a, b, more] = parsed.positionals;
  if (a === undefined || b === undefined || more !== undefined) {
    throw new UsageError('what is to be compared? give two, such as version=1.1 version=1.2');
  }
  const share = (name: string, usual: number) => {
    const text = textOption(parsed, name);
    return text === null ? usual : parseShare(`--${name}`, text);
  };
  const by = nameOption(parsed, 'by');
  return {
    a: parseFilters('A', a),
    b: parseFilters('B', b),
    ...(by === null ? {} : { by }),
    confidence: share('confidence', 0.95),
    margin: share('margin', 0.05),
  };
}
