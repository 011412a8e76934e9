import type { DynamicConfigValue } from '@grafana/grafana-foundation-sdk/dashboard';
import type { ProcessRole } from '../src/model/process-role.ts';

/** Properties of a series: always this colour. Names of Grafana's palette. */
export function colored(color: string): readonly DynamicConfigValue[] {
  return [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }];
}

const colorOfRole: Readonly<Record<ProcessRole, string>> = {
  browser: 'blue',
  renderer: 'orange',
  extension: 'dark-orange',
  gpu: 'purple',
  network: 'green',
  storage: 'yellow',
  utility: 'light-blue',
  zygote: 'semi-dark-red',
  crashpad: 'super-light-purple',
  other: 'text',
};

/** Overrides of a panel with a series for each role: a role has one colour everywhere. */
export const roleColors = Object.fromEntries(
  Object.entries(colorOfRole).map(([role, color]) => [role, colored(color)]),
);

/** Overrides of the panels that show memory against the limit. */
export const memoryColors = {
  limit: [...colored('red'), { id: 'custom.lineStyle', value: { fill: 'dash', dash: [10, 10] } }],
  'working set': [...colored('blue'), { id: 'custom.fillOpacity', value: 15 }],
  'browser, unreclaimable': colored('orange'),
  available: colored('green'),
};
