import type { TopView } from '../../analysis/top/top-view.ts';
import { topScreen } from '../../report/terminal/top-screen.ts';
import type { CommandIo } from '../command.ts';
import { firstChoice, listenToKeys, pressed } from './keys.ts';
import { Screen } from './screen.ts';
import type { TopSource } from './sources.ts';

/**
 * Draws what a source shows until somebody quits or the process is asked to end; the last state of a
 * recording that has ended stays. The terminal is then as it was.
 */
export async function liveTop(source: TopSource, io: CommandIo): Promise<void> {
  const quit = new AbortController();
  const signal = AbortSignal.any([io.signal, quit.signal]);
  let choice = firstChoice;
  let latest: TopView | null = null;
  let shown: TopView | null = null;
  using screen = new Screen(io);
  const draw = () => {
    if (!choice.isPaused) shown = latest;
    screen.draw(topScreen(shown, { ...choice, ...sizeOf(io.stdout) }));
  };
  using _keys = listenToKeys((key) => {
    const next = pressed(choice, key);
    if (next === 'quit') quit.abort();
    else {
      choice = next;
      draw();
    }
  });
  io.stdout.on('resize', draw);
  try {
    draw();
    await source(signal, (view) => {
      latest = view;
      draw();
    });
    await aborted(signal);
  } finally {
    io.stdout.off('resize', draw);
  }
}

// A pseudo-terminal that nobody gave a size has 0 of both.
function sizeOf({ columns, rows }: CommandIo['stdout']): { columns: number; rows: number } {
  return { columns: columns || 80, rows: rows || 24 };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // A listener alone does not keep the process: stdin or this timer does.
    const keep = setInterval(() => undefined, 2 ** 30);
    const end = () => {
      clearInterval(keep);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
