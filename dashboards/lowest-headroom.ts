import type { PanelBuilder } from '@grafana/grafana-foundation-sdk/stat';
import * as units from '@grafana/grafana-foundation-sdk/units';
import { leftIsGood, statPanel } from './panels.ts';

type Source = Pick<Parameters<typeof statPanel>[0], 'datasource' | 'targets' | 'span'>;

/** The first figure of a session, whether it comes out of its file or out of metrics. */
export function lowestHeadroomPanel(source: Source): PanelBuilder {
  return statPanel({
    title: 'Lowest headroom',
    description:
      'What was left at the worst moment of the time range, as a share of the limit. Below 10 % one large page may be the end.',
    unit: units.PercentUnit,
    ...source,
    steps: leftIsGood,
    decimals: 1,
  });
}
