import type { TimelineRequest } from '../../../model/timeline.ts';
import { firstColumns, type WindowPictures } from '../page-data.ts';
import type { Viewport } from './viewport.ts';

// Wider than what is seen, so that it can be moved at once; a column to about a pixel of what is seen.
const margin = 1;
const pauseMs = 120;
// Samples come at a second, and ten times as often where it matters.
const finestMs = 100;

/**
 * Keeps pictures filled while the window moves: what is there is shown at once, and asked for again
 * when the window leaves it, is so close that columns would be seen, or the recording has grown by one.
 */
export function keepLoaded(
  viewport: Viewport,
  load: (request?: TimelineRequest) => Promise<WindowPictures>,
  show: (pictures: WindowPictures) => void,
): { load(): Promise<void>; end(): void } {
  let loaded: TimelineRequest | null = null;
  let timer: number | undefined;
  let asked = 0;
  const now = async () => {
    const request = requestOf(viewport);
    const isFirst = loaded === null;
    loaded = request;
    const mine = ++asked;
    const pictures = await load(isFirst ? undefined : request);
    if (mine === asked) show(pictures);
  };
  const isFilled = () => loaded !== null && isEnough(loaded, viewport);
  // Not at the end of a long drag, but while it goes on.
  viewport.onChange(() => {
    if (isFilled()) return;
    timer ??= window.setTimeout(() => {
      timer = undefined;
      if (!isFilled()) void now();
    }, pauseMs);
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
  const span = shown.toUnixMs - shown.fromUnixMs;
  const fromUnixMs = Math.round(Math.max(whole.fromUnixMs, shown.fromUnixMs - margin * span));
  const end = Math.min(whole.toUnixMs, shown.toUnixMs + margin * span);
  const toUnixMs = Math.round(Math.max(end, shown.fromUnixMs));
  const columns = Math.max(1, Math.ceil((firstColumns * (toUnixMs - fromUnixMs)) / span));
  return { fromUnixMs, toUnixMs, columns };
}

function isEnough(loaded: TimelineRequest, { shown, whole }: Viewport): boolean {
  const span = shown.toUnixMs - shown.fromUnixMs;
  const columnMs = (loaded.toUnixMs - loaded.fromUnixMs) / loaded.columns;
  const isLeft = shown.fromUnixMs >= loaded.fromUnixMs || loaded.fromUnixMs <= whole.fromUnixMs;
  const end = Math.min(shown.toUnixMs, whole.toUnixMs);
  const isFine = columnMs <= finestMs || span / columnMs >= firstColumns / 2;
  return isLeft && end <= loaded.toUnixMs + Math.max(finestMs, columnMs) && isFine;
}
