import { fleetReport } from '../../analysis/fleet/fleet-report.ts';
import { renderFleetReport } from '../../report/fleet/report-text.ts';
import { renderJson } from '../../report/json.ts';
import { FleetData } from '../../store/fleet/fleet-data.ts';
import { type Command, UsageError } from '../command.ts';
import { listOption, switchOption } from '../parse-arguments.ts';
import { textLook } from '../text-look.ts';
import { dataFolder, dataOption } from './data-option.ts';
import { matching, refuseArguments, whereFilters, whereOption } from './filters.ts';

export const fleetReportCommand: Command = {
  name: 'fleet report',
  summary: 'Peaks, percentiles, OOM kills and gaps of a fleet, and of its parts.',
  usage: ['headroom fleet report [OPTIONS]'],
  options: {
    by: {
      type: 'string',
      value: 'LABEL',
      multiple: true,
      help: 'for each value of it as well: a label, version, tier, day, source or verdict',
    },
    where: whereOption,
    data: dataOption,
    json: { type: 'boolean', help: 'as JSON' },
  },
  examples: [
    'headroom fleet report',
    'headroom fleet report --by workload --by version',
    'headroom fleet report --where version=1.2 --by day',
    "headroom fleet report --by workload --json | jq '.groups[] | [.value, .oom.ratio]'",
  ],
  async run(parsed, io) {
    refuseArguments(parsed);
    const by = listOption(parsed, 'by');
    if (by.includes('')) throw new UsageError('--by is empty');
    const filters = whereFilters(parsed);
    using data = new FleetData(dataFolder(parsed), 'read');
    const report = fleetReport(matching(data.sessions(), filters), { by });
    io.stdout.write(
      switchOption(parsed, 'json') ? renderJson(report) : renderFleetReport(report, textLook(io)),
    );
    return report.sessions === 0 ? 1 : 0;
  },
};
