import type { ProcessRole } from '../../../model/process-role.ts';

/**
 * Okabe and Ito's colours, which people who see red and green alike tell apart as well; as light ones
 * on dark ground. Where two lines meet they have different dashes, too.
 */
const palette = {
  light: [
    '#0072b2',
    '#e69f00',
    '#009e73',
    '#cc79a7',
    '#56b4e9',
    '#d55e00',
    '#8a7f00',
    '#6b6b6b',
    '#7a4fbf',
    '#3a3a3a',
  ],
  dark: [
    '#4aa8e0',
    '#f0b440',
    '#2fc79b',
    '#e39ac4',
    '#8fd0f5',
    '#f08a4b',
    '#e8dc50',
    '#a8a8a8',
    '#b295ea',
    '#dddddd',
  ],
} as const;

const scheme = window.matchMedia('(prefers-color-scheme: dark)');

export function isDark(): boolean {
  return scheme.matches;
}

/** Calls when the viewer turns from light to dark or back. */
export function onScheme(listener: () => void): () => void {
  scheme.addEventListener('change', listener);
  return () => scheme.removeEventListener('change', listener);
}

/** The colour of the nth line; as they are, so that it is asked for when something is drawn. */
export function lineColor(place: number): string {
  const colors = palette[isDark() ? 'dark' : 'light'];
  return colors[place % colors.length] ?? 'gray';
}

export const lineDashes: readonly number[][] = [[], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [1, 3]];

/** A role has the same colour in every picture. */
export function roleColor(role: ProcessRole): string {
  return lineColor(rolePlaces.indexOf(role));
}

const rolePlaces: readonly ProcessRole[] = [
  'browser',
  'renderer',
  'gpu',
  'network',
  'storage',
  'utility',
  'zygote',
  'crashpad',
  'extension',
  'other',
];

export function inkColor(): string {
  return isDark() ? '#d5d9de' : '#30353b';
}

export function gridColor(): string {
  return isDark() ? '#30363d' : '#e3e6ea';
}

export function badColor(): string {
  return isDark() ? '#ff8a5c' : '#b83200';
}
