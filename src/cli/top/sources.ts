import { recordingTop } from '../../analysis/top/recording-top.ts';
import { TopState } from '../../analysis/top/top-state.ts';
import type { TopView } from '../../analysis/top/top-view.ts';
import { timerSleep } from '../../collector/recorder.ts';
import { openRecording } from '../../store/reader.ts';
import type { CommandIo } from '../command.ts';
import { createRecorder, openSource } from '../record-session.ts';

/** Where views come from: each is handed on as it is made, until the signal fires. */
export type TopSource = (signal: AbortSignal, show: (view: TopView) => void) => Promise<void>;

export interface TopSourceOptions {
  intervalMs: number;
  /** Ends by itself with the first view that has all rates. */
  isOnce: boolean;
}

/** This machine, by the recorder's own loop, without a file. */
export function localSource(options: TopSourceOptions, env: CommandIo['env']): TopSource {
  return async (signal, show) => {
    const source = await openSource({ rootPid: null, cgroup: null, storesCommands: false }, env);
    const state = new TopState();
    const { intervalMs, isOnce } = options;
    // A rate takes two samples.
    const durationMs = isOnce ? intervalMs : null;
    let count = 0;
    const recorder = createRecorder(
      { intervalMs, durationMs },
      { source, beside: [] },
      (sample, events) => {
        state.addSample(sample, events);
        const view = state.view('local', 'live');
        if (view !== null && (!isOnce || ++count > 1)) show(view);
      },
    );
    const stop = () => recorder.stop('signal');
    signal.addEventListener('abort', stop, { once: true });
    try {
      await recorder.run();
    } finally {
      signal.removeEventListener('abort', stop);
      source.close();
    }
  };
}

// A long recording takes long to read: at most this share of the time goes into it.
const readingShare = 0.2;

/** A recording file, as long as somebody writes it. Errors: see {@link openRecording}. */
export function fileSource(file: string, options: TopSourceOptions): TopSource {
  return async (signal, show) => {
    using recording = openRecording(file);
    let shown: TopView | null = null;
    while (!signal.aborted) {
      const startMs = performance.now();
      // Asked first: what is written between the two questions must not be missed.
      const isLive = recording.isLive;
      const isNew: boolean =
        shown === null || recording.lastTick()?.timeUnixMs !== shown.timeUnixMs;
      const view: TopView | null = isNew || !isLive ? recordingTop(recording) : null;
      if (view !== null) {
        shown = view;
        show(view);
      }
      if (options.isOnce || !isLive) break;
      const tookMs = performance.now() - startMs;
      await timerSleep(Math.max(options.intervalMs, tookMs / readingShare), signal);
    }
  };
}
