import { expect, test } from 'vitest';
import { fleetTop } from '../../../src/analysis/fleet/fleet-top.ts';
import { Sketch } from '../../../src/model/sketch.ts';
import { fakeFleetSession } from '../../support/fake-fleet.ts';
import { mib } from '../../support/fake-sample.ts';

test('of a limit that changed only what was true in its time is told', () => {
  // 235 of 1152 MiB were used when the limit grew to 2048.
  const utilizationRatio = new Sketch();
  utilizationRatio.add(235 / 1152, 1000);
  utilizationRatio.add(300 / 2048, 1000);
  const session = fakeFleetSession(0, {
    limitBytes: 2048 * mib,
    availableMinBytes: 917 * mib,
    utilizationRatio,
  });
  const [first] = fleetTop([session], { count: 1, order: 'memory' }).sessions;
  expect(first).toMatchObject({
    headroomMinBytes: 917 * mib,
    utilizationMaxRatio: 235 / 1152,
  });
  expect(first).not.toHaveProperty('headroomMinRatio');
});
