import { describe, expect, test } from 'vitest';
import { parseProcessStat } from '../../../src/collector/procfs/process-stat.ts';
import { caseBytes, caseJson } from '../../support/cases.ts';

interface ExpectedStat {
  pid: number;
  comm: string;
  state: string;
  ppid: number;
  utime: number;
  stime: number;
  num_threads: number;
  starttime: number;
  rss_pages: number;
}

function parse(text: string | Buffer) {
  const bytes = Buffer.from(text);
  return parseProcessStat(bytes, bytes.length);
}

describe('stat of a process', () => {
  const expected = caseJson<Record<string, ExpectedStat>>('001-stat-comm-paren/expected.json');

  test.each(Object.entries(expected))('case 001: %s', (file, fields) => {
    expect(parse(caseBytes(`001-stat-comm-paren/${file}`))).toMatchObject({
      pid: fields.pid,
      comm: fields.comm,
      state: fields.state,
      parentPid: fields.ppid,
      cpuTicks: fields.utime + fields.stime,
      threadCount: fields.num_threads,
      startTicks: fields.starttime,
      rssPages: fields.rss_pages,
      isKernelThread: false,
    });
  });

  // Read off the bytes by hand: field 12 is 4, 14 and 15 are 72 and 51, 20 is 31, 22 is 201066.
  test('case 050: the browser', () => {
    expect(parse(caseBytes('050-cmdline-joined-by-spaces/25605/stat'))).toEqual({
      pid: 25605,
      comm: 'chromium',
      state: 'S',
      parentPid: 25603,
      isKernelThread: false,
      majorFaultCount: 4,
      cpuTicks: 72 + 51,
      threadCount: 31,
      startTicks: 201066,
      rssPages: 51377,
    });
  });

  test('case 003: a kernel thread is told by its flag, a zombie by its state', () => {
    const folder = '003-kthread-and-zombie-have-no-memory';
    expect(parse(caseBytes(`${folder}/kthread/stat`))).toMatchObject({
      pid: 2,
      comm: 'kthreadd',
      isKernelThread: true,
    });
    expect(parse(caseBytes(`${folder}/zombie/stat`))).toMatchObject({
      pid: 12794,
      comm: 'python3',
      state: 'Z',
      startTicks: 260231,
      isKernelThread: false,
    });
  });

  test('case 011: a name that is not UTF-8', () => {
    const stat = parse(caseBytes('011-comm-not-utf8/utf8.stat'));
    expect(stat?.comm).toBe('café\\xff');
  });

  test.each(['a b', '((', '))', ') Z 9 (', 'x\\n1 (y) S 0', ''])('the name %j', (name) => {
    const line = `77 (${name}) S 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 9 0 1234 4096 50 18446744073709551615 0`;
    expect(parse(line)).toMatchObject({
      pid: 77,
      comm: name.replaceAll('\\', '\\\\'),
      parentPid: 1,
      startTicks: 1234,
      rssPages: 50,
      majorFaultCount: 3,
      threadCount: 9,
    });
  });

  test('a line feed in the name stays on one line', () => {
    const line = '77 (x\n1 (y) S 0) S 5 7 7 0 -1 0 1 2 3 4 5 6 7 8 20 0 9 0 1234 4096 50 0';
    expect(parse(line)).toMatchObject({ comm: 'x\\x0a1 (y) S 0', parentPid: 5 });
  });

  test.each([
    ['nothing', ''],
    ['no name', '77 S 1 7 7'],
    ['a name that does not end', '77 (abc S 1 7 7'],
    ['no pid', '(abc) S 1 7 7 0 -1 0 1 2 3 4 5 6 7 8 20 0 9 0 1234 4096 50'],
    ['cut before the start time', '77 (abc) S 1 7 7 0 -1 0 1 2 3 4 5 6 7 8 20 0 9'],
    ['a word for a number', '77 (abc) S 1 7 7 0 -1 0 1 2 x 4 5 6 7 8 20 0 9 0 1234 4096 50'],
    ['text of another file', 'MemTotal:  1048576 kB\n'],
  ])('%s is no stat', (_, text) => {
    expect(parse(text)).toBeNull();
  });

  test('bytes behind the length are left over from another file', () => {
    const line = '77 (a) S 1 7 7 0 -1 0 1 2 3 4 5 6 7 8 20 0 9 0 1234 4096 50';
    const buffer = Buffer.from(`${line})) garbage`);
    expect(parseProcessStat(buffer, line.length)).toMatchObject({ comm: 'a', rssPages: 50 });
  });
});
