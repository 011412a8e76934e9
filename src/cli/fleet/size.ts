import { fleetDemand } from '../../analysis/fleet/fleet-demand.ts';
import { sizeSessions } from '../../analysis/sizing/size.ts';
import { renderJson } from '../../report/json.ts';
import { renderSizeText } from '../../report/size-text.ts';
import { FleetData } from '../../store/fleet/fleet-data.ts';
import type { Command } from '../command.ts';
import { switchOption } from '../parse-arguments.ts';
import { sizeOptionSpecs, sizeOptionsOf } from '../size-options.ts';
import { textLook } from '../text-look.ts';
import { dataFolder, dataOption } from './data-option.ts';
import { matching, refuseArguments, whereFilters, whereOption } from './filters.ts';

export const fleetSizeCommand: Command = {
  name: 'fleet size',
  summary: 'Which memory tier the sessions of a fleet need, and how sure that is.',
  usage: ['headroom fleet size [OPTIONS]'],
  options: {
    ...sizeOptionSpecs,
    where: whereOption,
    data: dataOption,
    json: { type: 'boolean', help: 'as JSON, the same as of `headroom size`' },
  },
  examples: [
    'headroom fleet size --by workload',
    'headroom fleet size --by workload --tier 1GiB,2GiB,8GiB --fit 0.95',
    'headroom fleet size --where version=1.2 --json | jq .recommendation',
  ],
  async run(parsed, io) {
    refuseArguments(parsed);
    const options = sizeOptionsOf(parsed);
    const filters = whereFilters(parsed);
    using data = new FleetData(dataFolder(parsed), 'read');
    // One after the other: their distributions are not needed here, and are most of their memory.
    const demands = Array.from(matching(data.sessions(), filters), fleetDemand);
    const skipped = data
      .leftOut()
      .map(({ path, code, reason }) => ({ file: path, code, reason: reason ?? '' }));
    const report = { ...sizeSessions(demands, options), skipped };
    io.stdout.write(
      switchOption(parsed, 'json') ? renderJson(report) : renderSizeText(report, textLook(io)),
    );
    if (demands.length > 0) return 0;
    io.stderr.write('headroom fleet size: no session matches\n');
    return 1;
  },
};
