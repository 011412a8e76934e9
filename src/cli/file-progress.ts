import type { CommandIo } from './command.ts';

const redrawMs = 100;

export interface FileProgress {
  onFile: (progress: { number: number; of: number }) => void;
  /** Clears the line, so that a message can follow. */
  end: () => void;
}

/** One line that says which file it is at; on a terminal only. */
export function fileProgress({ stderr }: Pick<CommandIo, 'stderr'>): FileProgress {
  let drawnMs = Number.NEGATIVE_INFINITY;
  return {
    onFile: ({ number, of }) => {
      if (stderr.isTTY !== true || performance.now() - drawnMs < redrawMs) return;
      drawnMs = performance.now();
      stderr.write(`\r\u001b[Kreading ${number} of ${of}`);
    },
    end: () => {
      if (drawnMs > Number.NEGATIVE_INFINITY) stderr.write('\r\u001b[K');
    },
  };
}
