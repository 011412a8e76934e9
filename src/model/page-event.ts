/**
 * From here on a target of the browser (a page, or a frame of one) is in this process, as the
 * browser's debugging protocol and the kernel's clocks tell together (docs/pages.md). It holds up to
 * the next event of the same target.
 */
export interface PagePlacement {
  kind: 'page';
  timeUnixMs: number;
  /** The protocol's name of it, the same as long as the tab lives. */
  targetId: string;
  /** As the protocol says: `page`, `iframe` (a frame in a process of its own), `browser_ui` … */
  targetType: string;
  /** The page that a frame belongs to; of a page itself. Null where the browser does not tell. */
  pageTargetId: string | null;
  /** Origin, or the whole address if that was asked for. Null: none yet. */
  url: string | null;
  /** `unknown`: its process could not be told. `gone`: closed, or no longer watched. */
  state: 'placed' | 'unknown' | 'gone';
  /** Both null unless it is placed. */
  pid: number | null;
  startTicks: number | null;
}

/** The browser says that a target's process ended on its own or was killed. */
export interface TargetCrash {
  kind: 'target_crash';
  timeUnixMs: number;
  targetId: string;
  targetType: string;
  url: string | null;
  /** `crashed`, `killed` … as the protocol says. */
  status: string;
  /** Number of the signal, or exit code, as Chromium has it. */
  errorCode: number;
  /** The process that it was in; null where that was not known. */
  pid: number | null;
  startTicks: number | null;
}
