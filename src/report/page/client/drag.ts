import type { Viewport } from './viewport.ts';

/** Whether pressing here drags the window of time along; else it chooses a part of it. */
export function dragsWindow({ button, shiftKey }: MouseEvent): boolean {
  return button === 1 || (button === 0 && shiftKey);
}

/** Moves what is shown with the pointer until its button is let go, also outside of the picture. */
export function startDrag(start: MouseEvent, over: HTMLElement, viewport: Viewport): void {
  // Else the middle button scrolls the page.
  start.preventDefault();
  const { fromUnixMs, toUnixMs } = viewport.shown;
  const msPerPixel = (toUnixMs - fromUnixMs) / over.clientWidth;
  const move = ({ clientX }: MouseEvent) => {
    const by = (start.clientX - clientX) * msPerPixel;
    viewport.move({ fromUnixMs: fromUnixMs + by, toUnixMs: toUnixMs + by });
  };
  const ends = new AbortController();
  const options = { signal: ends.signal };
  document.addEventListener('mousemove', move, options);
  document.addEventListener('mouseup', () => ends.abort(), options);
}
