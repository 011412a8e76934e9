import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  badColors,
  gridColors,
  grounds,
  inkColors,
  lineColors,
  type Scheme,
} from '../../../src/report/page/client/palette.ts';

type Triple = readonly [number, number, number];

// Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision
// Deficiency, 2009, severity 1.0; for linear RGB, row by row.
const visions: Readonly<Record<string, readonly [Triple, Triple, Triple]>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'no red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'no green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'no blue': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

// Stone, Szafir, Setlur: An Engineering Model for Color Difference as a Function of Size, 2014: what
// half of the viewers notice is p · (10.70 + 5.74 / size) along b*, the axis on which they see least;
// of marks of a third of a degree at p = 0.5, and of areas of a degree.
const noticedOfLines = 0.5 * (10.7 + 3 * 5.74);
const noticedOfAreas = 0.5 * (10.7 + 5.74);
// The alpha of areas, as pictures.ts has it.
const areaShare = 0xb0 / 0xff;

const schemes: readonly Scheme[] = ['light', 'dark'];
const cases = schemes.flatMap((scheme) =>
  Object.keys(visions).map((vision) => [scheme, vision] as const),
);

test.each(cases)(
  '%s: ten lines, and ten areas, are told apart by who sees %s',
  (scheme, vision) => {
    const lines = lineColors[scheme].map(bytesOf);
    expect(lines).toHaveLength(10);
    expect(least(lines.map(linear), vision)).toBeGreaterThan(noticedOfLines);
    const areas = lines.map((line) => linear(mixed(line, bytesOf(grounds[scheme]))));
    expect(least(areas, vision)).toBeGreaterThan(noticedOfAreas);
  },
);

test.each(cases)('%s: good, warning and bad are told apart by who sees %s', (scheme, vision) => {
  const states = ['good', 'warning', 'bad'].map(cssColors(scheme)).map(bytesOf);
  expect(least(states.map(linear), vision)).toBeGreaterThan(noticedOfLines);
});

// WCAG 2.2, 1.4.11: what has to be seen to understand a picture; 1.4.3: text.
test.each(schemes)('%s: each line is seen on the ground, and text can be read', (scheme) => {
  const ground = grounds[scheme];
  for (const line of lineColors[scheme]) expect(contrast(line, ground)).toBeGreaterThanOrEqual(3);
  expect(contrast(inkColors[scheme], ground)).toBeGreaterThanOrEqual(4.5);
  // The words of a gap stand on the colour of the grid.
  expect(contrast(inkColors[scheme], gridColors[scheme])).toBeGreaterThanOrEqual(4.5);
  expect(contrast(badColors[scheme], ground)).toBeGreaterThanOrEqual(4.5);
  // The sign of an OOM kill may stand on a gap.
  expect(contrast(badColors[scheme], gridColors[scheme])).toBeGreaterThanOrEqual(3);
  const css = cssColors(scheme);
  expect(css('ground')).toBe(ground);
  for (const name of ['ink', 'faint', 'accent', 'good', 'warning', 'bad']) {
    for (const under of ['ground', 'raised']) {
      expect([name, under, contrast(css(name), css(under)) >= 4.5]).toEqual([name, under, true]);
    }
  }
  // The edge of what can be typed into or pressed.
  expect(contrast(css('control'), ground)).toBeGreaterThanOrEqual(3);
});

// Rounded values of sRGB's green and white in CIELAB, D65, as Lindbloom's calculator has them.
test('the ruler measures', () => {
  expect(lab(linear(bytesOf('#00ff00'))).map(Math.round)).toEqual([88, -86, 83]);
  expect(distance(lab(linear(bytesOf('#ffffff'))), [100, 0, 0])).toBeLessThan(0.1);
});

function cssColors(scheme: Scheme): (name: string) => string {
  const css = readFileSync('src/report/page/client/page.css', 'utf8').split('@media');
  const part = css[schemes.indexOf(scheme)] ?? '';
  return (name) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(part)?.[1] ?? '';
}

/** WCAG 2.2: contrast ratio, 1 to 21. */
function contrast(one: string, other: string): number {
  const [dark = 0, bright = 0] = [one, other]
    .map((color) => dot([0.2126, 0.7152, 0.0722], linear(bytesOf(color))))
    .sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

/** The smallest distance of any two of these, as somebody sees them (CIE 1976). */
function least(colors: readonly Triple[], vision: string): number {
  const seen = colors.map((color) => lab(seenBy(vision, color)));
  const distances = seen.flatMap((one, place) =>
    seen.slice(place + 1).map((other) => distance(one, other)),
  );
  return Math.min(...distances);
}

function distance([l, a, b]: Triple, [otherL, otherA, otherB]: Triple): number {
  return Math.hypot(l - otherL, a - otherA, b - otherB);
}

function seenBy(vision: string, color: Triple): Triple {
  const seen = (visions[vision] ?? []).map((row) => Math.min(1, Math.max(0, dot(row, color))));
  return triple(seen);
}

function dot([x, y, z]: Triple, [r, g, b]: Triple): number {
  return x * r + y * g + z * b;
}

/** CIELAB under D65 (IEC 61966-2-1 for the primaries, CIE 15 for the rest). */
function lab(color: Triple): Triple {
  const x = root(dot([0.4124564, 0.3575761, 0.1804375], color) / 0.95047);
  const y = root(dot([0.2126729, 0.7151522, 0.072175], color));
  const z = root(dot([0.0193339, 0.119192, 0.9503041], color) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function root(share: number): number {
  return share > 216 / 24_389 ? Math.cbrt(share) : ((24_389 / 27) * share + 16) / 116;
}

function bytesOf(color: string): Triple {
  return triple([1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)));
}

function linear(bytes: Triple): Triple {
  return triple(
    bytes.map((byte) => {
      const share = byte / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    }),
  );
}

function mixed(over: Triple, ground: Triple): Triple {
  return triple(over.map((byte, at) => areaShare * byte + (1 - areaShare) * (ground[at] ?? 0)));
}

function triple([first = Number.NaN, second = Number.NaN, third = Number.NaN]: number[]): Triple {
  return [first, second, third];
}
