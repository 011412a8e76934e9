export type TopSort = 'memory' | 'cpu' | 'growth';

/** How the live view is drawn: the size of the terminal, and what the keys have chosen. */
export interface TopLook {
  columns: number;
  rows: number;
  sort: TopSort;
  showsRoles: boolean;
  isPaused: boolean;
  showsHelp: boolean;
}
