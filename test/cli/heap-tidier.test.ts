import { expect, it } from 'vitest';
import { heapTidier } from '../../src/cli/heap-tidier.ts';

it('collects young garbage once a second, and all of it every thirty samples', () => {
  expect(collections({ samples: 45, everyMs: 1000 })).toEqual({ all: [10, 40], young: 43 });
  // 0, 0.9 … 3.9 s, without the second in which all of it is collected.
  expect(collections({ samples: 45, everyMs: 100 })).toEqual({ all: [10, 40], young: 4 });
});

it('leaves what is young alone where that is not asked for, and collects all half as often', () => {
  expect(collections({ samples: 75, everyMs: 1000, youngToo: false })).toEqual({
    all: [10, 70],
    young: 0,
  });
});

function collections({ samples, everyMs, youngToo = true }: Run) {
  let at = 0;
  const done = { all: [] as number[], young: 0 };
  const garbage = { all: () => void done.all.push(at), young: () => void done.young++ };
  const tidyHeap = heapTidier({ youngToo, garbage, monotonicMs: () => at * everyMs });
  while (at++ < samples) tidyHeap();
  return done;
}

interface Run {
  samples: number;
  everyMs: number;
  youngToo?: boolean;
}
