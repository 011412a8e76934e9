import type { FleetDiff } from '../analysis/fleet/fleet-diff.ts';
import type { FleetReport } from '../analysis/fleet/fleet-report.ts';
import type { FleetTop } from '../analysis/fleet/fleet-top.ts';
import type { SessionReport } from '../analysis/session-report.ts';
import type { SizeReport } from '../analysis/sizing/size.ts';

/**
 * The report as JSON, two blanks of indent, keys always in the same order so that two reports can be
 * compared as text. Control characters of the C1 set, which JSON allows and a terminal obeys, are
 * escaped.
 */
export function renderJson(
  report: SessionReport | SizeReport | FleetReport | FleetTop | FleetDiff,
): string {
  return `${JSON.stringify(report, null, 2).replace(/[\u007f-\u009f\u2028\u2029]/g, escapeUnit)}\n`;
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
