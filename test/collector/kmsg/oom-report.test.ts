import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { OomReportParser } from '../../../src/collector/kmsg/oom-report.ts';
import { parseKmsgRecord } from '../../../src/collector/kmsg/record.ts';
import type { ReportedKill } from '../../../src/collector/kmsg/report.ts';
import { caseRecords, caseText } from './case-records.ts';

/** The fields of expected.json. */
interface ExpectedKill {
  scope: string;
  context?: string;
  tasks_listed?: number;
  [field: string]: unknown;
}

const cases = [
  '012-oom-6.18-memcg-v1',
  '014-oom-6.12-memcg-v2',
  '017-oom-6.1-global',
  '018-oom-5.10-memcg-reaper',
  '020-oom-5.0-two-kill-lines',
  '022-oom-4.9-nodemask',
  '025-oom-6.12-cpuset',
  '027-oom-6.12-allocating-task-small-victim',
  '028-oom-no-killable-flood',
  '030-oom-burst-ratelimited',
  '032-oom-group-6.12',
  '034-oom-no-task-dump',
  '036-oom-forged-from-userspace',
  '038-kmsg-starts-mid-report',
  '040-kmsg-interleaved',
  '042-kmsg-unknown-future',
];

describe.each(cases)('case %s', (name) => {
  const expected = JSON.parse(caseText(name, 'expected.json'));
  const { parser, kills } = parse(caseRecords(name));

  test('summary', () => {
    const { counters } = parser;
    expect({
      reports: counters.reports,
      no_killable: counters.noKillable,
      suppressed: counters.suppressed,
      userspace_lookalikes: counters.userspaceLookalikes,
      unparsed_lines: counters.unparsedLines,
      seq_gaps: Array.from({ length: counters.sequenceGaps }),
      panic: counters.panic,
      kill_lines: counters.killLines,
      distinct_kills: counters.kills,
    }).toEqual(expected.summary);
  });

  test('kills', () => {
    expect(kills).toHaveLength(expected.kills.length);
    expected.kills.forEach((kill: ExpectedKill, index: number) => {
      // Instead of "context: none", and for a report whose table is switched off (0 or absent).
      const { context, tasks_listed, ...fields } = kill;
      expect(inTermsOfTheCase(kills[index])).toMatchObject(fields);
      expect(kills[index]?.context).toBe(context === undefined ? 'full' : 'kill_line_only');
      expect(kills[index]?.tasksListed ?? 0).toBe(tasks_listed ?? 0);
    });
  });
});

test('case 025: the cpuset that ran out', () => {
  expect(parse(caseRecords('025-oom-6.12-cpuset')).kills).toMatchObject([
    { scope: 'cpuset', cpuset: 'cs', memsAllowed: '1' },
  ]);
});

test('case 027: the largest task is not the victim', () => {
  const { kills } = parse(caseRecords('027-oom-6.12-allocating-task-small-victim'));
  expect(kills).toMatchObject([
    { comm: 'allocat', largestOther: { pid: 137, comm: 'big', rssPages: 30892 } },
  ]);
});

test('case 038: the summary line before the kill line counts without a header', () => {
  const { kills } = parse(caseRecords('038-kmsg-starts-mid-report'));
  expect(kills).toMatchObject([
    { constraint: 'CONSTRAINT_NONE', taskCgroup: '/', triggerComm: null, tasksListed: null },
  ]);
});

test('a group kill of Linux 6.1 on cgroup v2: three victims, the first of which is printed twice', () => {
  const fixture = new URL('../../fixtures/kernel-6.1/group-kill.kmsg', import.meta.url);
  const { parser, kills } = parse(readFileSync(fixture, 'latin1').match(/[^\n]+\n/g) ?? []);
  const told = { scope: 'cgroup', cgroup: '/parent/group', taskCgroup: '/parent/group' };
  const report = { constraint: 'CONSTRAINT_MEMCG', tasksListed: 3, limitKb: 40_960 };
  expect(kills).toMatchObject([
    { pid: 170, rssKb: 35_424 + 4 + 4_296, oomGroup: null, ...told, ...report },
    { pid: 168, rssKb: 348 + 4 + 3_756, oomGroup: '/parent/group', ...told, ...report },
    { pid: 169, rssKb: 4_280 + 4 + 4_268, oomGroup: '/parent/group', ...told, ...report },
  ]);
  expect(parser.counters).toMatchObject({ reports: 1, killLines: 4, kills: 3, unparsedLines: 0 });
});

test('case 058: the pid and the cgroup are given as the host has them', () => {
  const { kills } = parse(caseRecords('058-kmsg-pid-is-host-pid'));
  expect(kills).toMatchObject([{ pid: 966, comm: 'chrome', rssKb: 480000 }]);
  expect(kills).toMatchObject([{ taskCgroup: '/docker/b7c0', cgroup: '/docker/b7c0' }]);
});

describe('case 044: a summary line without its kill line', () => {
  const [summary = ''] = caseRecords('044-oom-structured-line-only');
  const summaryUs = 512_000_000;
  const killLine =
    '3,1201,512400000,-;Memory cgroup out of memory: Killed process 4040 (chrome) total-vm:8kB, anon-rss:4kB, file-rss:2kB, shmem-rss:1kB, UID:0 pgtables:1kB oom_score_adj:0\n';

  test('one kill of unknown size after the grace time', () => {
    const { parser } = parse([summary]);
    expect(parser.settle(summaryUs + 500_000)).toEqual([]);
    const kills = parser.settle(summaryUs + 5_000_000).map(flat);
    expect(kills.map(inTermsOfTheCase)).toMatchObject(
      JSON.parse(caseText('044-oom-structured-line-only', 'expected.json')).kills,
    );
    expect(kills).toMatchObject([{ context: 'summary_line_only', cgroup: '/s1' }]);
    expect(parser.settle(summaryUs + 60_000_000)).toEqual([]);
  });

  test('one kill when the kill line comes within the grace time', () => {
    const { parser, kills } = parse([summary, killLine]);
    expect(kills).toMatchObject([{ pid: 4040, rssKb: 7, constraint: 'CONSTRAINT_MEMCG' }]);
    expect(parser.settle(summaryUs + 60_000_000)).toEqual([]);
  });

  test('one kill when the kill line comes later still', () => {
    const { parser } = parse([summary]);
    expect(parser.settle(summaryUs + 5_000_000)).toHaveLength(1);
    expect(parser.push(parseKmsgRecord(killLine))).toEqual([]);
    expect(parser.counters).toMatchObject({ kills: 1, killLines: 1 });
  });

  test('a later record passes the time as well', () => {
    const later = '6,1201,519000000,-;usb 1-1: new device\n';
    expect(parse([summary, later]).kills).toMatchObject([{ pid: 4040, sequence: 1200 }]);
  });

  test('no kill when the victim was already exiting', () => {
    const exiting =
      '6,1201,512000001,-;Memory cgroup out of memory: OOM victim 4040 (chrome) is already exiting. Skip killing the task\n';
    const { parser, kills } = parse([summary, exiting]);
    expect([...kills, ...parser.settle(summaryUs + 60_000_000)]).toEqual([]);
  });
});

describe('lines that no case has', () => {
  const header = 'chrome invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=0';
  const killed = (pid: number, comm = 'chrome') =>
    `Memory cgroup out of memory: Killed process ${pid} (${comm}) total-vm:9kB, anon-rss:3kB, file-rss:2kB, shmem-rss:1kB, UID:0 pgtables:1kB oom_score_adj:0`;

  test('4.4: the cgroups stand in a line of their own, there is no shmem-rss', () => {
    const { kills } = parseTexts([
      header,
      'Task in /a/b killed as a result of limit of /a',
      'memory: usage 100kB, limit 100kB, failcnt 7',
      'Memory cgroup out of memory: Kill process 7 (chrome) score 900 or sacrifice child',
      'Killed process 7 (chrome) total-vm:9kB, anon-rss:3kB, file-rss:2kB',
    ]);
    expect(kills).toMatchObject([
      { scope: 'cgroup', cgroup: '/a', taskCgroup: '/a/b', rssKb: 5, shmemKb: null, limitKb: 100 },
    ]);
  });

  test('5.0: a child is killed in place of the announced process', () => {
    const { parser, kills } = parseTexts([
      header,
      'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/a,task_memcg=/a/b,task=parent,pid=7,uid=0',
      'Memory cgroup out of memory: Kill process 7 (parent) score 900 or sacrifice child',
      'Killed process 8 (child) total-vm:9kB, anon-rss:3kB, file-rss:2kB, shmem-rss:1kB',
    ]);
    expect(kills).toMatchObject([{ pid: 8, comm: 'child', scope: 'cgroup', cgroup: '/a' }]);
    expect(parser.settle(1e12)).toEqual([]);
  });

  test('RHEL puts the uid before the sizes', () => {
    const { kills } = parseTexts([
      'Killed process 7 (java), UID 99, total-vm:9kB, anon-rss:3kB, file-rss:2kB, shmem-rss:1kB',
    ]);
    expect(kills).toMatchObject([{ pid: 7, comm: 'java', uid: 99, rssKb: 6, scope: 'unknown' }]);
  });

  test('a group kill prints its first victim twice, also when the rate limit took the report', () => {
    const { parser, kills } = parseTexts([
      killed(7),
      'Tasks in /a are going to be killed due to memory.oom.group set',
      killed(7),
      killed(8),
    ]);
    expect(kills.map(({ pid, oomGroup }) => [pid, oomGroup])).toEqual([
      [7, null],
      [8, '/a'],
    ]);
    expect(parser.counters).toMatchObject({ killLines: 3, kills: 2 });
  });

  test('a kill that the table of a group kill does not list is another one', () => {
    const { kills } = parseTexts([
      header,
      '[ pid ]   uid  tgid total_vm      rss nr_ptes swapents oom_score_adj name',
      '[    7]     0     7        9        3       1        0             0 chrome',
      killed(7),
      'Tasks in /a are going to be killed due to memory.oom.group set',
      killed(9),
    ]);
    expect(kills).toMatchObject([
      { pid: 7, context: 'full' },
      { pid: 9, context: 'kill_line_only', oomGroup: null, triggerComm: null },
    ]);
  });

  test.each([
    ['a bracket and blanks', ') (x', ') (x'],
    ['the words that follow it', 'a) total-vm:1kB', 'a) total-vm:1kB'],
    ['no character at all', '', ''],
    ['a comma', 'a,pid=1,uid=2', 'a,pid=1,uid=2'],
  ])('a comm with %s', (_, comm, expected) => {
    const { kills } = parseTexts([
      `oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,3,global_oom,task_memcg=/a,task=${comm},pid=7,uid=0`,
      killed(7, comm),
    ]);
    expect(kills).toMatchObject([{ comm: expected, taskCgroup: '/a', memsAllowed: '0-1,3' }]);
  });

  test('a cgroup named like the next field', () => {
    const { kills } = parseTexts([
      'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/a,b=c,task_memcg=/a,b=c/d,task=chrome,pid=7,uid=0',
      killed(7),
    ]);
    expect(kills).toMatchObject([{ cgroup: '/a,b=c', taskCgroup: '/a,b=c/d' }]);
  });

  test.each([
    ['Kernel panic - not syncing: Out of memory: system-wide panic_on_oom is enabled', true],
    ['Kernel panic - not syncing: System is deadlocked on memory', true],
    ['Kernel panic - not syncing: Out of memory and no killable processes...', true],
    ['Kernel panic - not syncing: VFS: Unable to mount root fs', false],
  ])('%s', (text, panic) => {
    expect(parseTexts([text]).parser.counters.panic).toBe(panic);
  });

  test.each([
    'input: Killed process 7 (x) total-vm:1kB, anon-rss:1kB as /devices/virtual/input/input9',
    'Frozen out of space: Killed process 7 (x)',
  ])('a message that only quotes such words is no kill: %s', (text) => {
    const { parser, kills } = parseTexts([text]);
    expect(kills).toEqual([]);
    expect(parser.counters).toMatchObject({ killLines: 0, unparsedLines: 1 });
  });

  test('a hole in the sequence ends the report that was open', () => {
    const { parser, kills } = parse([`4,1,1,-;${header}\n`, `3,9,2,-;${killed(7)}\n`]);
    expect(kills).toMatchObject([{ context: 'kill_line_only', triggerComm: null }]);
    expect(parser.counters).toMatchObject({ sequenceGaps: 1, missedRecords: 7 });
  });

  test('a record that was seen already is not read again', () => {
    const { parser, kills } = parse([`3,9,2,-;${killed(7)}\n`, `3,9,2,-;${killed(7)}\n`]);
    expect(kills).toHaveLength(1);
    expect(parser.counters).toMatchObject({ killLines: 1, sequenceGaps: 0 });
  });
});

function parse(records: readonly string[]) {
  const parser = new OomReportParser();
  const kills = records.flatMap((raw) => parser.push(parseKmsgRecord(raw)).map(flat));
  return { parser, kills };
}

function parseTexts(texts: readonly string[]) {
  return parse(texts.map((text, index) => `4,${100 + index},${1_000_000 + index},-;${text}\n`));
}

function flat({ victim, circumstances, ...rest }: ReportedKill) {
  return { ...victim, ...circumstances, ...rest };
}

function inTermsOfTheCase(kill: ReturnType<typeof flat> | undefined) {
  if (kill === undefined) return undefined;
  return {
    seq: kill.sequence,
    ts_us: kill.timeUs,
    pid: kill.pid,
    comm: kill.comm,
    total_vm_kb: kill.totalVmKb,
    anon_rss_kb: kill.anonKb,
    file_rss_kb: kill.fileKb,
    shmem_rss_kb: kill.shmemKb,
    uid: kill.uid,
    pgtables_kb: kill.pageTablesKb,
    oom_score_adj: kill.oomScoreAdj,
    rss_kb: kill.rssKb,
    // The cases call every kill outside of a memory cgroup "system".
    scope: kill.scope === 'cgroup' ? 'memcg' : 'system',
    constraint: kill.constraint,
    oom_memcg: kill.cgroup,
    task_memcg: kill.taskCgroup,
    trigger_comm: kill.triggerComm,
    trigger_pid: kill.triggerPid,
    memcg_usage_kb: kill.usageKb,
    memcg_limit_kb: kill.limitKb,
    oom_group: kill.oomGroup ?? undefined,
  };
}
