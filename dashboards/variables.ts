import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  AdHocVariableBuilder,
  CustomVariableBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { labelOf, matches, select } from './promql.ts';
import { everyVariable, prometheus } from './targets.ts';

/** The variable with the size that a fleet might be given instead. */
export const candidateSize = 'candidate';

// Every session has it, at every tick.
const aliveMetric = 'headroom.memory.limit';
const ofProviders = matches('headroom.provider', '$provider');
const ofTiers = matches('headroom.tier', '$tier');
const all = { selected: true, text: ['All'], value: ['$__all'] };

/** Of a dashboard about one session. */
export function sessionVariables(): Builder<VariableModel>[] {
  return [
    datasourceVariable(),
    manyVariable('provider', { label: 'Provider', attribute: 'headroom.provider' }),
    manyVariable('tier', { label: 'Tier', attribute: 'headroom.tier', within: [ofProviders] }),
    queryVariable('session', {
      label: 'Session',
      attribute: 'session.id',
      within: [ofProviders, ofTiers],
    }),
    everyVariableChoice(),
  ];
}

/** Of a dashboard about many. */
export function fleetVariables(): Builder<VariableModel>[] {
  return [
    datasourceVariable(),
    manyVariable('provider', { label: 'Provider', attribute: 'headroom.provider' }),
    manyVariable('tier', { label: 'Tier', attribute: 'headroom.tier', within: [ofProviders] }),
    candidateVariable(),
    everyVariableChoice(),
    filtersVariable(),
  ];
}

function datasourceVariable(): DatasourceVariableBuilder {
  return new DatasourceVariableBuilder('datasource')
    .label('Data source')
    .description('Prometheus, VictoriaMetrics, or anything else that speaks PromQL.')
    .type('prometheus');
}

/** Several values or all of them; `within` narrows what is offered. */
function manyVariable(
  name: string,
  spec: { label: string; attribute: string; within?: readonly string[] },
): QueryVariableBuilder {
  return queryVariable(name, spec).multi(true).includeAll(true).allValue('.+').current(all);
}

/** Grafana adds these to every query: by a label of the recording, such as headroom_label_workload. */
function filtersVariable(): AdHocVariableBuilder {
  return new AdHocVariableBuilder('filters')
    .label('Filters')
    .description('By any label: that of a recording is headroom_label_ and its name.')
    .datasource(prometheus);
}

/** A size that sessions might be given instead, in bytes. */
function candidateVariable(): CustomVariableBuilder {
  const sizes = [1, 2, 4, 8, 16, 32].map((size) => `${size} GiB : ${size * 2 ** 30}`);
  return new CustomVariableBuilder(candidateSize)
    .label('Candidate size')
    .description('The size for which the panels say how many sessions would have fitted.')
    .values(sizes.join(','))
    .current({ selected: true, text: '1 GiB', value: String(2 ** 30) });
}

/** How often samples arrive: a rate is made over four of them. */
function everyVariableChoice(): CustomVariableBuilder {
  return new CustomVariableBuilder(everyVariable)
    .label('Samples every')
    .description(
      'How often samples arrive: 1s as pushed by the recorder, or the scrape interval. Rates are made over four of them.',
    )
    .values('15s,1s,5s,30s,1m')
    .current({ selected: true, text: '15s', value: '15s' });
}

function queryVariable(
  name: string,
  {
    label,
    attribute,
    within = [],
  }: { label: string; attribute: string; within?: readonly string[] },
): QueryVariableBuilder {
  const query = `label_values(${select(aliveMetric, ...within)}, ${labelOf(attribute)})`;
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource(prometheus)
    .query(query)
    .definition(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc);
}
