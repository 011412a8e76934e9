import type { Field, GrafanaTheme2 } from '@grafana/data';

const bucketBytes = 64 * 2 ** 20;

/** Bars of our own: Grafana's are part of its panel. */
export function Histogram(props: {
  figures: readonly Field[];
  theme: GrafanaTheme2;
  width: number;
  height: number;
}) {
  const { figures, theme, width, height } = props;
  const counts = new Map<number, number>();
  for (const value of figures.flatMap(({ values }) => [...values])) {
    const bucket = Math.floor(Number(value) / bucketBytes);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  const first = Math.min(...counts.keys());
  const most = Math.max(...counts.values());
  const buckets = Array.from(
    { length: Math.max(...counts.keys()) - first + 1 },
    (_, at) => first + at,
  );
  return (
    <div style={{ display: 'flex', alignItems: 'flex-end', width, height, fontSize: 11 }}>
      {buckets.map((bucket) => {
        const count = counts.get(bucket) ?? 0;
        const label = figures[0]?.display?.(bucket * bucketBytes);
        return (
          <div key={bucket} style={{ flex: 1, textAlign: 'center' }}>
            {count > 0 ? count : ''}
            <div
              style={{
                height: (count / most) * (height - 40),
                margin: '0 2px',
                background: theme.visualization.getColorByName('green'),
              }}
            />
            <span style={{ color: theme.colors.text.secondary }}>
              {label?.text} {label?.suffix}
            </span>
          </div>
        );
      })}
    </div>
  );
}
