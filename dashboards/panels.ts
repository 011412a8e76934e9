import {
  BigValueColorMode,
  BigValueGraphMode,
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  LineInterpolation,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  type DataTransformerConfig,
  type DynamicConfigValue,
  FieldColorBuilder,
  FieldColorModeId,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import {
  PanelBuilder as HeatmapBuilder,
  HeatmapColorMode,
  HeatmapColorOptionsBuilder,
  YAxisConfigBuilder,
} from '@grafana/grafana-foundation-sdk/heatmap';
import { PanelBuilder as HistogramBuilder } from '@grafana/grafana-foundation-sdk/histogram';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as LinesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import type { Target } from './targets.ts';

interface PanelSpec {
  title: string;
  /** What it shows, and what to make of it. */
  description: string;
  /** Of `@grafana/grafana-foundation-sdk/units`. */
  unit: string;
  /** Whose data source is the panel's. */
  datasource: { type: string; uid: string };
  targets: readonly Target[];
  /** Of 24 columns. */
  span: number;
}

export type Overrides = Readonly<Record<string, readonly DynamicConfigValue[]>>;

const statHeight = 4;
const chartHeight = 8;
// Grafana's own 150 leave no room for five figures beside each other.
const narrowestColumn = 70;
// Samples further apart than this are not connected: a gap is a gap.
const connectWithinMs = 120_000;
// Else a bar is one pixel wide, and a long time asks for ten times as much.
const mostBars = 100;

/** One number. `steps` are its colours, from the lowest value up. */
export function statPanel(
  spec: PanelSpec & { steps?: Threshold[]; decimals?: number },
): StatBuilder {
  const panel = described(new StatBuilder(), spec)
    .height(statHeight)
    .graphMode(BigValueGraphMode.None)
    .colorMode(BigValueColorMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .thresholds(thresholds(spec.steps ?? [{ color: 'text', value: null }]))
    .noValue('no data');
  if (spec.decimals !== undefined) panel.decimals(spec.decimals);
  return panel;
}

/** Lines over time. */
export function linesPanel(
  spec: PanelSpec & {
    isStacked?: boolean;
    /** It may be below 0. */
    isSigned?: boolean;
    /** Of counts: they do not go through the values in between. */
    isStepped?: boolean;
    /** Of what happened in each step, as bars. */
    isBars?: boolean;
    /** What a series is called, where the query cannot say it. */
    displayName?: string;
    overrides?: Overrides;
  },
): LinesBuilder {
  const panel = described(new LinesBuilder(), spec)
    .height(chartHeight)
    .lineWidth(1)
    .fillOpacity(spec.isStacked === true ? 60 : 0)
    .spanNulls(connectWithinMs)
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.PaletteClassic))
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true)
        .calcs([]),
    )
    .tooltip(
      new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending),
    );
  if (spec.isStacked === true) {
    panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal));
  }
  if (spec.isStepped === true) panel.lineInterpolation(LineInterpolation.StepAfter);
  if (spec.isBars === true) {
    panel.drawStyle(GraphDrawStyle.Bars).fillOpacity(60).maxDataPoints(mostBars);
  }
  if (spec.isSigned !== true) panel.min(0);
  if (spec.displayName !== undefined) panel.displayName(spec.displayName);
  return withOverrides(panel, spec.overrides ?? {});
}

/** Buckets of a histogram over time, as Prometheus keeps them; the unit is that of their bounds. */
export function heatmapPanel(spec: PanelSpec): HeatmapBuilder {
  return described(new HeatmapBuilder(), spec)
    .height(chartHeight)
    .calculate(false)
    .yAxis(new YAxisConfigBuilder().unit(spec.unit))
    .color(
      new HeatmapColorOptionsBuilder().mode(HeatmapColorMode.Scheme).scheme('Oranges').steps(64),
    );
}

/** How often values fall into which range. */
export function histogramPanel(spec: PanelSpec): HistogramBuilder {
  return described(new HistogramBuilder(), spec).height(chartHeight).fillOpacity(60);
}

/** A table; `transformations` make its columns out of the results. */
export function tablePanel(
  spec: PanelSpec & {
    transformations?: readonly DataTransformerConfig[];
    overrides?: Overrides;
    height?: number;
  },
): TableBuilder {
  const panel = described(new TableBuilder(), spec)
    .height(spec.height ?? chartHeight)
    .minWidth(narrowestColumn)
    .noValue('no data');
  for (const transformation of spec.transformations ?? []) panel.withTransformation(transformation);
  return withOverrides(panel, spec.overrides ?? {});
}

/** The look of a column with the id of a session. */
export const wideEnoughForId: readonly DynamicConfigValue[] = [{ id: 'custom.width', value: 320 }];

/** Green from the start, red from 1 on: of what must not happen at all. */
export const noneIsGood: Threshold[] = [
  { color: 'green', value: null },
  { color: 'red', value: 1 },
];

/** Of a share that is left: red below 10 %, yellow below 20 %. */
export const leftIsGood: Threshold[] = [
  { color: 'red', value: null },
  { color: 'yellow', value: 0.1 },
  { color: 'green', value: 0.2 },
];

function described<
  Panel extends StatBuilder | LinesBuilder | TableBuilder | HistogramBuilder | HeatmapBuilder,
>(panel: Panel, { title, description, unit, datasource, targets, span }: PanelSpec): Panel {
  panel.title(title).description(description).unit(unit).datasource(datasource).span(span);
  for (const [at, target] of targets.entries()) {
    panel.withTarget(target(String.fromCharCode('A'.charCodeAt(0) + at)));
  }
  return panel;
}

function withOverrides<Panel extends LinesBuilder | TableBuilder>(
  panel: Panel,
  overrides: Overrides,
): Panel {
  for (const [name, properties] of Object.entries(overrides)) {
    panel.overrideByName(name, [...properties]);
  }
  return panel;
}

function thresholds(steps: Threshold[]): ThresholdsConfigBuilder {
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
}
