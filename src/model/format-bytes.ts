const units = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes as people read them, three figures: `12.0 KiB`, `398 MiB`, `1.14 GiB`. */
export function formatBytes(bytes: number | null): string {
  if (bytes === null) return 'unknown';
  if (bytes < 0) return `-${formatBytes(-bytes)}`;
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  let value = bytes;
  let unit: string = units[0];
  for (const next of units) {
    value /= 1024;
    unit = next;
    // What would be printed as 1024 belongs to the next unit.
    if (value < 1023.5) break;
  }
  return `${threeFigures(value)} ${unit}`;
}

function threeFigures(value: number): string {
  if (value < 9.995) return value.toFixed(2);
  return value < 99.95 ? value.toFixed(1) : value.toFixed(0);
}
