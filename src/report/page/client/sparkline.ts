const svgNamespace = 'http://www.w3.org/2000/svg';
const width = 120;
const height = 24;

/** Shares of the limit from 0 to 1 as a small line; a hole is a hole. */
export function sparkline(values: readonly (number | null)[]): SVGElement {
  const step = width / Math.max(1, values.length - 1);
  let isDown = false;
  const path = values
    .map((value, at) => {
      if (value === null) {
        isDown = false;
        return '';
      }
      const y = height - 1 - Math.min(1, value) * (height - 2);
      const command = isDown ? 'L' : 'M';
      isDown = true;
      return `${command}${(at * step).toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
  const most = values.reduce<number>((largest, value) => Math.max(largest, value ?? 0), 0);
  const picture = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'aria-label': `working set over time, at most ${Math.round(100 * most)} % of the limit`,
    class: 'sparkline',
  });
  picture.append(
    svg('line', { x1: 0, x2: width, y1: 1, y2: 1, class: 'limit' }),
    svg('path', { d: path, class: 'used' }),
  );
  return picture;
}

function svg(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}
