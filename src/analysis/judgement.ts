import type { Recording } from '../model/recording.ts';
import type { TimeRange } from '../model/time-range.ts';
import { followForVerdict } from './follow-ticks.ts';
import { emptyFileOf, type Grounds, gatherGrounds } from './grounds.ts';
import { lastHistories } from './process-histories.ts';
import { judge, type Verdict } from './verdict.ts';

/** What a recording comes to, and why. */
export interface Judgement extends Pick<Verdict, 'kind' | 'summary'> {
  grounds: Grounds;
}

/**
 * The verdict of the report on the whole, in a fraction of its time: without what it does not stand on,
 * and without what the report's sentence says of growth.
 */
export function judgementOf(recording: Recording): Judgement {
  const events = recording.events();
  const { grounds } = gatherGrounds(recording, wholeRange, {
    events,
    followed: followForVerdict(recording, wholeRange, events),
    histories: lastHistories(recording),
    part: null,
    withGrowth: false,
  });
  return { ...judge(grounds, emptyFileOf(recording)), grounds };
}

const wholeRange: TimeRange = {};
