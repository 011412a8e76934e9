import type { AlertMetric, AlertRule } from '../collector/alerts/alert-watch.ts';
import { UsageError } from './command.ts';
import { parseDuration, parseSize } from './quantities.ts';

const rulePattern = /^\s*([a-z-]+)\s*([<>])\s*(\S+)\s*$/;
const percentPattern = /^(\d+(?:\.\d+)?)%$/;

const signs: Readonly<Record<AlertMetric, '<' | '>'>> = {
  headroom: '<',
  'time-to-limit': '<',
  pressure: '>',
  stall: '>',
};
const examples = 'headroom<200MiB, headroom<10%, time-to-limit<30s, pressure>20% or stall>10%';

/** A rule of `--alert`; UsageError naming the flag otherwise. */
export function parseAlertRule(flag: string, text: string): AlertRule {
  const [, name = '', sign, bound = ''] = rulePattern.exec(text) ?? [];
  const metric = (Object.keys(signs) as AlertMetric[]).find((known) => known === name);
  if (metric === undefined || sign !== signs[metric]) {
    throw new UsageError(`${flag} takes a rule such as ${examples}, not "${text}"`);
  }
  const rule = { text: text.trim(), metric, ...boundOf(`${flag} ${name}`, metric, bound) };
  if (rule.threshold > 0) return rule;
  throw new UsageError(`${flag} takes a bound above zero, not "${text}"`);
}

function boundOf(
  flag: string,
  metric: AlertMetric,
  bound: string,
): Pick<AlertRule, 'threshold' | 'unit'> {
  if (metric === 'time-to-limit') {
    return { threshold: parseDuration(flag, bound) / 1000, unit: 'seconds' };
  }
  const percent = percentPattern.exec(bound)?.[1];
  if (percent !== undefined) {
    if (Number(percent) <= 100) return { threshold: Number(percent) / 100, unit: 'ratio' };
    throw new UsageError(`${flag} takes 100% at most, not "${bound}"`);
  }
  if (metric === 'headroom') return { threshold: parseSize(flag, bound), unit: 'bytes' };
  throw new UsageError(`${flag} takes a share such as 20%, not "${bound}"`);
}
