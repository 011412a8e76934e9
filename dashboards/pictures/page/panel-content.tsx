import {
  type DataFrame,
  dateTime,
  EventBusSrv,
  type Field,
  FieldType,
  type GrafanaTheme2,
} from '@grafana/data';
import { LegendDisplayMode, type VizLegendOptions } from '@grafana/schema';
import {
  BigValue,
  BigValueColorMode,
  BigValueGraphMode,
  PanelContextProvider,
  Table,
  TimeSeries,
} from '@grafana/ui';
import { useEffect, useState } from 'react';
import type { Panel } from '../../../test/support/grafana-dashboard.ts';
import { framesOf } from './frames.ts';
import { Heatmap } from './heatmap.tsx';
import { Histogram } from './histogram.tsx';
import { Marks } from './marks.tsx';

export interface ContentProps {
  panel: Panel;
  theme: GrafanaTheme2;
  width: number;
  height: number;
}

/** What is inside the frame of a panel. */
export function PanelContent({ panel, theme, width, height }: ContentProps) {
  const [frames, setFrames] = useState<DataFrame[] | null>(null);
  useEffect(() => {
    const made = framesOf(panel, theme).subscribe(setFrames);
    return () => made.unsubscribe();
  }, [panel, theme]);
  if (frames === null) return null;
  const figures = frames.flatMap(({ fields }) =>
    fields.filter(({ type, values }) => type !== FieldType.time && values.length > 0),
  );
  const [first] = frames;
  if (figures.length === 0 || first === undefined) return <div>No data</div>;
  if (panel.type === 'stat') return <Numbers {...{ figures, theme, width, height }} />;
  if (panel.type === 'table') return <Table data={first} width={width} height={height} />;
  if (panel.type === 'histogram') return <Histogram {...{ figures, theme, width, height }} />;
  if (panel.type === 'heatmap') return <Heatmap {...{ frames, theme, width, height }} />;
  return <Lines {...{ frames, theme, width, height }} />;
}

function Numbers({
  figures,
  theme,
  width,
  height,
}: Omit<ContentProps, 'panel'> & { figures: Field[] }) {
  return (
    <div style={{ display: 'flex' }}>
      {figures.map((field) => {
        const title = field.state?.displayName ?? '';
        const shown = field.display?.(field.values.at(-1)) ?? { text: '', numeric: Number.NaN };
        return (
          <BigValue
            key={title}
            theme={theme}
            width={width / figures.length}
            height={height}
            colorMode={BigValueColorMode.Value}
            graphMode={BigValueGraphMode.None}
            value={{ ...shown, title: figures.length > 1 ? title : '' }}
          />
        );
      })}
    </div>
  );
}

const eventBus = new EventBusSrv();
const legend: VizLegendOptions = {
  displayMode: LegendDisplayMode.List,
  placement: 'bottom',
  showLegend: true,
  calcs: [],
};

function Lines({
  frames,
  theme,
  width,
  height,
}: Omit<ContentProps, 'panel'> & { frames: DataFrame[] }) {
  const { fromUnixMs, toUnixMs } = window.drawn;
  const range = { from: dateTime(fromUnixMs), to: dateTime(toUnixMs) };
  return (
    <PanelContextProvider value={{ eventsScope: '', eventBus }}>
      <TimeSeries
        {...{ frames, width, height }}
        timeZone="utc"
        timeRange={{ ...range, raw: range }}
        legend={legend}
      >
        {(builder) => <Marks builder={builder} theme={theme} />}
      </TimeSeries>
    </PanelContextProvider>
  );
}
