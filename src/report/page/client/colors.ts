import type { ProcessRole } from '../../../model/process-role.ts';
import {
  badColors,
  gridColors,
  inkColors,
  lineColors,
  rolePlaces,
  type Scheme,
} from './palette.ts';

const dark = window.matchMedia('(prefers-color-scheme: dark)');

/** Calls when the viewer turns from light to dark or back. */
export function onScheme(listener: () => void): () => void {
  dark.addEventListener('change', listener);
  return () => dark.removeEventListener('change', listener);
}

/** The colour of the nth line; as they are, so that it is asked for when something is drawn. */
export function lineColor(place: number): string {
  const colors = lineColors[scheme()];
  return colors[place % colors.length] ?? 'gray';
}

export const lineDashes: readonly number[][] = [[], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [1, 3]];

/** A role has the same colour in every picture. */
export function roleColor(role: ProcessRole): string {
  return lineColor(rolePlaces.indexOf(role));
}

export function inkColor(): string {
  return inkColors[scheme()];
}

export function gridColor(): string {
  return gridColors[scheme()];
}

export function badColor(): string {
  return badColors[scheme()];
}

function scheme(): Scheme {
  return dark.matches ? 'dark' : 'light';
}
