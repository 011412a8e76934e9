import { expect, test } from 'vitest';
import { asTree } from '../../../src/cli/session/ps.ts';
import { recordedGuests } from '../../../src/cli/session/recorded-guests.ts';
import { StoreWriter } from '../../../src/store/writer.ts';
import { guestChange } from '../../support/agentos-vm.ts';
import { fakeSample } from '../../support/fake-sample.ts';
import { temporaryFolder } from '../../support/headroom-cli.ts';
import { ended } from '../../support/record-samples.ts';
import { syntheticFacts } from '../../support/synthetic-session.ts';

const seen = (processId: string, pid: number | null) => guestChange({ processId, pid });

test('guests are below the one that started them, also orphans; without a code they are gone', () => {
  using folder = temporaryFolder();
  const file = folder.file('vm.db');
  const writer = StoreWriter.open(file, { ...syntheticFacts(), source: 'agentos' });
  const gone = { change: 'ended', state: 'exited', endSource: 'vanished' } as const;
  writer.writeSample(fakeSample({ second: 0 }), [
    seen('proc-1000000', 1),
    seen('proc-1000000/child-1', 2),
    { ...seen('proc-1000000/child-1', 2), ...gone },
    seen('proc-1000001', 4),
    { ...seen('execution:operation-1:1', null), ...gone },
  ]);
  writer.close(ended);
  const rows = asTree(recordedGuests(file) ?? []);
  expect(rows.map(({ process: { pid, state }, depth }) => [pid, depth, state])).toEqual([
    [1, 0, 'running'],
    [2, 1, 'gone'],
    [4, 0, 'running'],
  ]);
});

test.each(['kernel:abc', 'vm:http://localhost:1', undefined])('%s is no file', (target) => {
  expect(recordedGuests(target)).toBeNull();
});
