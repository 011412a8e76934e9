import { expect, test } from 'vitest';
import type { Note } from '../../../src/model/event.ts';
import { recordingHead } from '../../../src/report/page/recording-head.ts';
import { fakeRecording } from '../../support/fake-recording.ts';
import { fakeOomKill, fakeSample, startUnixMs } from '../../support/fake-sample.ts';

test('a part has its own events, also where those after it would fill the list', () => {
  const kill = fakeOomKill({ pid: 31, comm: 'chromium', timeUnixMs: startUnixMs + 1000 });
  const later: Note = {
    kind: 'note',
    timeUnixMs: startUnixMs + 3000,
    code: 'kmsg_overrun',
    message: '',
  };
  const samples = [0, 1, 2, 3].map((second) => fakeSample({ second }));
  const notes = Array.from({ length: 1_000 }, () => later);
  const recording = fakeRecording({ samples, events: [kill, ...notes] });
  expect(recordingHead(recording).events).not.toContain(kill);
  const part = recordingHead(recording, { toUnixMs: startUnixMs + 2000 });
  expect(part).toMatchObject({ events: [kill], eventsLeftOut: 0 });
});
