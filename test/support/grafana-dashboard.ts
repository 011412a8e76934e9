import { readFileSync } from 'node:fs';

/** What of a dashboard's JSON the tests look at. */
export interface Dashboard {
  title: string;
  uid: string;
  tags: string[];
  editable: boolean;
  links: { type: string; tags: string[]; keepTime: boolean; includeVars: boolean }[];
  templating: { list: Variable[] };
  annotations: { list?: Annotation[] };
  panels: Panel[];
}

export interface Variable {
  name: string;
  type: string;
  label?: string;
  query: string;
  datasource?: DataSource;
  refresh?: number;
  includeAll: boolean;
  allValue?: string;
  current?: { value: string | string[] };
}

export interface Annotation {
  name: string;
  enable: boolean;
  iconColor?: string;
  datasource: DataSource;
  expr?: string;
  step?: string;
  target?: Target;
}

export interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  datasource?: DataSource;
  targets?: Target[];
  maxDataPoints?: number;
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig?: {
    defaults: { unit?: string; displayName?: string };
    overrides: {
      matcher: { id: string; options: string };
      properties: { id: string; value: unknown }[];
    }[];
  };
  transformations?: { id: string; options: unknown }[];
}

export interface Target {
  refId: string;
  datasource: DataSource;
  expr?: string;
  instant?: boolean;
  range?: boolean;
  interval?: string;
  format?: string;
  legendFormat?: string;
  rawQueryText?: string;
  queryType?: string;
  timeColumns?: string[];
}

export interface DataSource {
  type: string;
  uid: string;
}

/** A dashboard as it is shipped, by the name of its file. */
export function readDashboard(name: string): Dashboard {
  const file = new URL(`../../dashboards/generated/grafana/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** A query as Grafana sends it. */
export interface SentQuery {
  /** Panel and letter, or annotation. */
  name: string;
  expr: string;
  /** Null: one value, at the end of the time range. */
  stepSeconds: number | null;
}

export interface Viewer {
  fromUnixMs: number;
  toUnixMs: number;
  /** Values of the variables; of those that are not here, the one that the dashboard begins with. */
  variables: Readonly<Record<string, string>>;
}

const mostPoints = 1000;
// What Grafana takes for the distance of samples when neither query nor data source says it.
const scrapeSeconds = 15;

/** Every PromQL query of the panels and annotations, with variables put in as Grafana does it. */
export function sentQueries(dashboard: Dashboard, viewer: Viewer): SentQuery[] {
  const ofPanels = dashboard.panels.flatMap(({ title, targets = [], maxDataPoints }) =>
    targets.map((target) => ({
      name: `${title} ${target.refId}`,
      expr: target.expr ?? '',
      isInstant: target.instant === true,
      minStep: target.interval,
      most: maxDataPoints ?? mostPoints,
    })),
  );
  const ofAnnotations = (dashboard.annotations.list ?? []).map(({ name, expr = '', step }) => ({
    name,
    expr,
    isInstant: false,
    minStep: step,
    most: mostPoints,
  }));
  return [...ofPanels, ...ofAnnotations].map(({ name, expr, isInstant, minStep, most }) => {
    const variables = { ...firstChoices(dashboard), ...viewer.variables };
    const sampleSeconds =
      minStep === undefined ? scrapeSeconds : secondsOf(interpolate(minStep, variables));
    const rangeSeconds = Math.ceil((viewer.toUnixMs - viewer.fromUnixMs) / 1000);
    const stepSeconds = Math.max(sampleSeconds, Math.ceil(rangeSeconds / most));
    const rateSeconds = Math.max(stepSeconds + sampleSeconds, 4 * sampleSeconds);
    return {
      name,
      expr: interpolate(expr, {
        ...variables,
        __range: `${rangeSeconds}s`,
        __interval: `${stepSeconds}s`,
        __rate_interval: `${rateSeconds}s`,
      }),
      stepSeconds: isInstant ? null : stepSeconds,
    };
  });
}

/** What the dashboard's variables are when it is opened for the first time. */
export function firstChoices(dashboard: Dashboard): Record<string, string> {
  return Object.fromEntries(
    dashboard.templating.list.flatMap(({ name, current, allValue }) => {
      const [value] = [current?.value].flat();
      if (value === undefined) return [];
      return [[name, value === '$__all' ? (allValue ?? '.*') : value]];
    }),
  );
}

/** Puts values in for `$name` and `${name}`. Throws for a name without a value. */
export function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (found, braced, bare) => {
    const value = values[braced ?? bare];
    if (value === undefined) throw new Error(`no value for ${found} in ${text}`);
    return value;
  });
}

function secondsOf(duration: string): number {
  const [, amount, unit] = /^(\d+)(s|m)$/.exec(duration) ?? [];
  if (amount === undefined) throw new Error(`not a duration: ${duration}`);
  return Number(amount) * (unit === 'm' ? 60 : 1);
}
