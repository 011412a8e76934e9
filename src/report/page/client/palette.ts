import type { ProcessRole } from '../../../model/process-role.ts';

export type Scheme = 'light' | 'dark';

/**
 * Colours of lines and roles: Okabe and Ito's, moved so far apart that any two of the ten are told
 * apart by who sees no red, no green or no blue, and so far from the ground that each is seen on it by
 * whoever sees contrasts badly (test/report/page/palette.test.ts). Where two lines meet they have
 * different dashes and labels, too.
 */
export const lineColors: Readonly<Record<Scheme, readonly string[]>> = {
  light: [
    '#0072b2',
    '#ca8500',
    '#5ea26c',
    '#ca79a7',
    '#159ed3',
    '#c24e00',
    '#999742',
    '#6f7372',
    '#6a50ce',
    '#373838',
  ],
  dark: [
    '#4aa8e0',
    '#e5a230',
    '#80b680',
    '#dd9dbf',
    '#5c7b99',
    '#df7a45',
    '#ebd716',
    '#8e8683',
    '#c5dbff',
    '#eae3e2',
  ],
};

export const rolePlaces: readonly ProcessRole[] = [
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

/** What lines stand on; as in page.css. */
export const grounds: Readonly<Record<Scheme, string>> = { light: '#ffffff', dark: '#14181d' };

export const inkColors: Readonly<Record<Scheme, string>> = { light: '#30353b', dark: '#d5d9de' };
export const gridColors: Readonly<Record<Scheme, string>> = { light: '#e3e6ea', dark: '#30363d' };
/** Of an OOM kill, which has a cross and its word besides. */
export const badColors: Readonly<Record<Scheme, string>> = { light: '#a0003c', dark: '#ff7f7f' };
