import type { DataFrame, GrafanaTheme2 } from '@grafana/data';

interface Row {
  bound: number;
  values: ReadonlyMap<number, number>;
}

/** Cells of our own: Grafana's are part of its panel. The series are cumulative buckets, by `le`. */
export function Heatmap(props: {
  frames: readonly DataFrame[];
  theme: GrafanaTheme2;
  width: number;
  height: number;
}) {
  const { frames, theme, width, height } = props;
  const rows = frames.map(rowOf).sort((a, b) => a.bound - b.bound);
  const times = [...new Set(rows.flatMap(({ values }) => [...values.keys()]))].sort(
    (a, b) => a - b,
  );
  const cells = rows.map(({ values }, at) =>
    times.map((time) => (values.get(time) ?? 0) - (rows[at - 1]?.values.get(time) ?? 0)),
  );
  const most = Math.max(...cells.flat());
  const rowHeight = height / rows.length;
  return (
    <div style={{ width, height, fontSize: 10, color: theme.colors.text.secondary }}>
      {[...rows.keys()].reverse().map((at) => (
        <div key={at} style={{ display: 'flex', height: rowHeight, alignItems: 'center' }}>
          <span style={{ width: 44 }}>{labelOf(rows[at]?.bound)}</span>
          {cells[at]?.map((cell, column) => (
            <div
              key={times[column]}
              style={{
                flex: 1,
                height: rowHeight - 1,
                background: theme.visualization.getColorByName('orange'),
                opacity: most > 0 ? cell / most : 0,
              }}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

function rowOf({ fields }: DataFrame): Row {
  const [time, value] = fields;
  const values = new Map(
    time?.values.map((at, index): [number, number] => [Number(at), Number(value?.values[index])]),
  );
  return { bound: Number(value?.labels?.['le']?.replace('+Inf', 'Infinity')), values };
}

function labelOf(bound = Number.NaN): string {
  return Number.isFinite(bound) ? `${Math.round(bound * 1000) / 10} %` : 'above';
}
