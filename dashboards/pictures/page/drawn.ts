import type { Dashboard } from '../../../test/support/grafana-dashboard.ts';
import type { Results } from '../results.ts';

/** What is put into the page. */
export interface Drawn extends Results {
  dashboard: Dashboard;
  fromUnixMs: number;
  toUnixMs: number;
  /** Stands below the title. */
  subtitle: string;
}

declare global {
  interface Window {
    drawn: Drawn;
  }
}
