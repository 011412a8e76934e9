import type { Recording } from '../model/recording.ts';
import { emptyFileOf, type Grounds, gatherGrounds } from './grounds.ts';
import { judge, type Verdict } from './verdict.ts';

/** What a recording comes to, and why. */
export interface Judgement extends Pick<Verdict, 'kind' | 'summary'> {
  grounds: Grounds;
}

/** The verdict of the report, in half its time: without figures that nobody asks for. */
export function judgementOf(recording: Recording): Judgement {
  const { grounds } = gatherGrounds(recording, {}, { withGrowth: false });
  return { ...judge(grounds, emptyFileOf(recording)), grounds };
}
