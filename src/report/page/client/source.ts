import type { SessionReport } from '../../../analysis/session-report.ts';
import type { SizeReport } from '../../../analysis/sizing/size.ts';
import type { WindowReport } from '../../../analysis/window.ts';
import type { TimelineRequest } from '../../../model/timeline.ts';
import type {
  KeyedProcessTimeline,
  LiveMessage,
  ProcessKey,
  RecordingHead,
  RecordingList,
  WindowPictures,
} from '../page-data.ts';

export interface Range {
  fromUnixMs: number;
  toUnixMs: number;
}

/** Where the page has its data from: a server, or itself. */
export interface Source {
  list(): Promise<RecordingList>;
  head(name: string): Promise<RecordingHead>;
  report(name: string): Promise<SessionReport>;
  /** Of a window; without one: of the whole recording, {@link firstColumns} wide. */
  pictures(name: string, request?: TimelineRequest): Promise<WindowPictures>;
  processes(
    name: string,
    request: TimelineRequest,
    keys: readonly ProcessKey[],
  ): Promise<KeyedProcessTimeline>;
  /** Of the range, or the nearest that can be told: the answer says which. */
  window(name: string, range: Range): Promise<WindowReport>;
  /** Which tier these recordings need. */
  size(names: readonly string[]): Promise<SizeReport>;
  /** Whether a process has a line to show. */
  hasLine(key: ProcessKey): boolean;
  /** Calls for what changes; gives what ends that. */
  listen(names: readonly string[], onMessage: (message: SourceMessage) => void): () => void;
}

/** `connected`: from now on; what changed before is to be asked for. */
export type SourceMessage = LiveMessage | { kind: 'connected' };
