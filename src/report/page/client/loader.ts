import type { TimelineRequest } from '../../../model/timeline.ts';
import type { WindowPictures } from '../page-data.ts';
import type { Range } from './source.ts';
import type { Viewport } from './viewport.ts';

// Wider than what is seen, so that it can be moved at once; finer than a pixel needs.
const margin = 1;
const columns = 3_000;
const pauseMs = 120;

/**
 * Keeps pictures filled while the window moves: what is there is shown at once, and asked for again
 * when the window leaves it, is much closer, or the recording has grown by a column.
 */
export function keepLoaded(
  viewport: Viewport,
  load: (request: TimelineRequest) => Promise<WindowPictures>,
  show: (pictures: WindowPictures) => void,
): { load(): Promise<void>; end(): void } {
  let loaded: Range | null = null;
  let timer: number | undefined;
  let asked = 0;
  const now = async () => {
    const request = requestOf(viewport);
    loaded = request;
    const mine = ++asked;
    const pictures = await load(request);
    if (mine === asked) show(pictures);
  };
  viewport.onChange(() => {
    window.clearTimeout(timer);
    if (loaded !== null && isEnough(loaded, viewport)) return;
    timer = window.setTimeout(() => void now(), pauseMs);
  });
  return {
    load: now,
    end: () => {
      window.clearTimeout(timer);
      asked++;
    },
  };
}

function requestOf({ shown, whole }: Viewport): TimelineRequest {
  const by = margin * (shown.toUnixMs - shown.fromUnixMs);
  return {
    fromUnixMs: Math.round(Math.max(whole.fromUnixMs, shown.fromUnixMs - by)),
    toUnixMs: Math.round(Math.max(Math.min(whole.toUnixMs, shown.toUnixMs + by), shown.fromUnixMs)),
    columns,
  };
}

function isEnough(loaded: Range, viewport: Viewport): boolean {
  const { shown, whole } = viewport;
  const span = shown.toUnixMs - shown.fromUnixMs;
  const loadedSpan = loaded.toUnixMs - loaded.fromUnixMs;
  const columnMs = Math.max(500, loadedSpan / columns);
  const isLeft = shown.fromUnixMs >= loaded.fromUnixMs || loaded.fromUnixMs <= whole.fromUnixMs;
  const end = Math.min(shown.toUnixMs, whole.toUnixMs);
  return isLeft && end <= loaded.toUnixMs + columnMs && loadedSpan <= 4 * span;
}
