export type Severity = 'critical' | 'warning' | 'info';

/** A rule of Prometheus that raises an alert. Its runbook is the page of its name. */
export interface AlertRule {
  alert: string;
  /** What it measures: has series as long as there are sessions. */
  signal: string;
  /** What of it is wrong: `> 0`. */
  condition: string;
  /** What else must be, beyond `signal condition`: ` unless …`. */
  restriction?: string;
  for?: string;
  keepFiringFor?: string;
  severity: Severity;
  summary: string;
  description: string;
  /** Which dashboard of the session it leads to. */
  dashboard?: string;
}

export interface RecordingRule {
  record: string;
  expr: string;
}

export interface RuleGroup<Rule> {
  name: string;
  interval?: string;
  rules: readonly Rule[];
}

/** The expression of an alert. */
export function exprOf(rule: AlertRule): string {
  return `${rule.signal} ${rule.condition}${rule.restriction ?? ''}`;
}
