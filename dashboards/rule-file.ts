import { type AlertRule, exprOf, type RecordingRule, type RuleGroup } from './rule.ts';

/**
 * Where the page of an alert is, as `headroom dashboards` writes it: beside the rules. The command
 * puts the address in place that it is given.
 */
export const runbookFolder = 'runbooks';

/** The YAML of Prometheus for a file of alerts. */
export function alertFile(groups: readonly RuleGroup<AlertRule>[]): string {
  return fileOf(groups, alertLines);
}

/** The YAML of Prometheus for a file of recorded figures. */
export function recordingFile(groups: readonly RuleGroup<RecordingRule>[]): string {
  return fileOf(groups, ({ record, expr }) => [`record: ${record}`, ...exprLines(expr)]);
}

function fileOf<Rule>(
  groups: readonly RuleGroup<Rule>[],
  linesOf: (rule: Rule) => string[],
): string {
  const lines = groups.flatMap(({ name, interval, rules }) => [
    `  - name: ${name}`,
    ...(interval === undefined ? [] : [`    interval: ${interval}`]),
    '    rules:',
    ...rules.flatMap((rule) =>
      linesOf(rule).map((line, at) => `      ${at === 0 ? '- ' : '  '}${line}`),
    ),
  ]);
  return ['# Made by `npm run dashboards`.', 'groups:', ...lines, ''].join('\n');
}

function alertLines(rule: AlertRule): string[] {
  const { alert, severity, summary, description, dashboard } = rule;
  return [
    `alert: ${alert}`,
    ...exprLines(exprOf(rule)),
    ...(rule.for === undefined ? [] : [`for: ${rule.for}`]),
    ...(rule.keepFiringFor === undefined ? [] : [`keep_firing_for: ${rule.keepFiringFor}`]),
    'labels:',
    `  severity: ${severity}`,
    'annotations:',
    `  summary: ${quoted(summary)}`,
    `  description: ${quoted(description)}`,
    `  runbook_url: ${runbookFolder}/${alert}.md`,
    ...(dashboard === undefined ? [] : [`  dashboard: ${quoted(dashboard)}`]),
  ];
}

function exprLines(expr: string): string[] {
  return ['expr: |-', `  ${expr}`];
}

// A double-quoted text of YAML is one of JSON.
function quoted(text: string): string {
  return JSON.stringify(text);
}
