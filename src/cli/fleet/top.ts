import { fleetTop, type TopOrder, topOrders } from '../../analysis/fleet/fleet-top.ts';
import { renderFleetTop } from '../../report/fleet/top-text.ts';
import { renderJson } from '../../report/json.ts';
import { FleetData } from '../../store/fleet/fleet-data.ts';
import { type Command, type ParsedArguments, UsageError } from '../command.ts';
import { switchOption, textOption } from '../parse-arguments.ts';
import { textLook } from '../text-look.ts';
import { dataFolder, dataOption } from './data-option.ts';
import { matching, refuseArguments, whereFilters, whereOption } from './filters.ts';

export const fleetTopCommand: Command = {
  name: 'fleet top',
  summary: 'The worst sessions of a fleet, and where their recordings are.',
  usage: ['headroom fleet top [OPTIONS]'],
  options: {
    count: { type: 'string', value: 'N', help: 'how many (default 10)' },
    order: {
      type: 'string',
      value: 'WHAT',
      help: `what is worst: ${topOrders.join(', ')} (default memory: out of it, then the least left)`,
    },
    where: whereOption,
    data: dataOption,
    json: { type: 'boolean', help: 'as JSON' },
  },
  examples: [
    'headroom fleet top',
    'headroom fleet top --where workload=shop --count 3',
    'headroom fleet top --order peak --json | jq -r ".sessions[].file"',
  ],
  async run(parsed, io) {
    refuseArguments(parsed);
    const question = { count: countOf(parsed), order: orderOf(parsed) };
    const filters = whereFilters(parsed);
    using data = new FleetData(dataFolder(parsed), 'read');
    const top = fleetTop(matching(data.sessions(), filters), question);
    io.stdout.write(
      switchOption(parsed, 'json') ? renderJson(top) : renderFleetTop(top, textLook(io)),
    );
    return top.of === 0 ? 1 : 0;
  },
};

function countOf(parsed: ParsedArguments): number {
  const text = textOption(parsed, 'count') ?? '10';
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`--count takes a number from 1 on, not "${text}"`);
}

function orderOf(parsed: ParsedArguments): TopOrder {
  const text = textOption(parsed, 'order') ?? 'memory';
  const order = topOrders.find((known) => known === text);
  if (order !== undefined) return order;
  throw new UsageError(`--order takes ${topOrders.join(', ')}, not "${text}"`);
}
