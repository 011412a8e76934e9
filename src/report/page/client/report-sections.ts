import { formatDuration, formatRatio } from '../../../analysis/format.ts';
import type { SessionReport } from '../../../analysis/session-report.ts';
import type { VerdictKind } from '../../../analysis/verdict.ts';
import { type Headline, headlineOf, headlines } from '../../headline.ts';
import { bytesElement, element, table } from './dom.ts';
import { formatTime } from './times.ts';

/** Signs beside the colours: who sees no colours sees these. */
export function verdictSign(kind: VerdictKind): string {
  return signs[verdictTone(kind)];
}

export function verdictTone(kind: VerdictKind): Headline['tone'] {
  return headlines[kind]?.tone ?? 'bad';
}

const signs: Readonly<Record<Headline['tone'], string>> = { good: '✓', warning: '!', bad: '✕' };

export function verdictSection(report: SessionReport): HTMLElement {
  const { summary, advice, evidence } = report.verdict;
  const { words, tone } = headlineOf(report);
  return element('section', { class: `verdict ${tone}`, 'aria-label': 'Verdict' }, [
    element('h2', {}, [element('span', { 'aria-hidden': 'true' }, [`${signs[tone]} `]), words]),
    element('p', {}, [summary]),
    list('What to do', advice),
    list('Evidence', evidence),
  ]);
}

function list(title: string, entries: readonly string[]): HTMLElement | null {
  if (entries.length === 0) return null;
  return element('div', {}, [
    element('h3', {}, [title]),
    element(
      'ul',
      {},
      entries.map((entry) => element('li', {}, [entry])),
    ),
  ]);
}

/** The figures of the whole session, those of `report --json`. */
export function factsSection(report: SessionReport): HTMLElement {
  const { session, coverage, memory, browser, pressure } = report;
  const { workingSetBytes: used } = memory;
  const facts: [string, (Node | string)[]][] = [
    ['session', [`${session.id} (${session.source})`]],
    [
      'time',
      [
        `${formatTime(coverage.firstUnixMs)} to ${formatTime(coverage.lastUnixMs)}, ${formatDuration(coverage.lengthMs)}`,
      ],
    ],
    [
      'samples',
      [`${coverage.samples}, ${coverage.missedTicks} missed, ${coverage.gaps.length} gaps`],
    ],
    [
      'machine',
      [
        `kernel ${session.machine.kernel}, ${session.machine.cpuCount ?? 'unknown number of'} CPUs, ${session.machine.browserVersion ?? 'browser unknown'}`,
      ],
    ],
    ['limit', [bytesElement(memory.limitBytes), ` (${memory.limitSource})`]],
    ['largest working set', [bytesElement(used.max)]],
    [
      'lowest headroom',
      [
        bytesElement(memory.headroomMinBytes),
        ` (${formatRatio(memory.headroomMinRatio)}) at ${formatTime(memory.headroomMinUnixMs)}`,
      ],
    ],
    [
      'browser',
      [
        `${browser.processesMax} processes at most, PSS at most `,
        bytesElement(browser.pssBytes.max),
      ],
    ],
    [
      'memory pressure, all',
      [
        pressure.memoryFullRatioMax === null
          ? 'unknown'
          : `at most ${formatRatio(pressure.memoryFullRatioMax)} of 10 s`,
      ],
    ],
  ];
  return element('section', { class: 'facts' }, [
    element('h2', {}, ['Session']),
    element(
      'dl',
      {},
      facts.flatMap(([name, value]) => [element('dt', {}, [name]), element('dd', {}, value)]),
    ),
  ]);
}

/** Of each role and of the whole, as in the report. */
export function rolesSection({ roles, browser, memory }: SessionReport): HTMLElement {
  const row = (
    name: string,
    values: { p50: number | null; p95: number | null; p99: number | null; max: number | null },
  ) => [
    name,
    bytesElement(values.p50),
    bytesElement(values.p95),
    bytesElement(values.p99),
    bytesElement(values.max),
  ];
  return element('section', {}, [
    table(
      'Percentiles of the whole recording',
      ['', 'p50', 'p95', 'p99', 'max'],
      [
        row('working set', memory.workingSetBytes),
        row('browser, PSS', browser.pssBytes),
        ...roles.map(({ role, pssBytes }) => row(role, pssBytes)),
      ],
    ),
  ]);
}

/** Memory of pages, where the recorder was asked to watch them; null elsewhere. */
export function pagesSection({ pages }: SessionReport): HTMLElement | null {
  if (pages.length === 0) return null;
  const shown = pages.slice(0, mostPages);
  return element('section', { class: 'pages' }, [
    element('h2', {}, ['Pages']),
    table(
      `The largest ${shown.length} of ${pages.length}; of a shared process the whole`,
      ['page', 'memory, largest', 'from', 'to', 'pids', 'state'],
      shown.map((page) => [
        page.url ?? page.targetType,
        bytesElement(page.memoryBytes.peak),
        formatTime(page.firstUnixMs),
        formatTime(page.lastUnixMs),
        [...new Set(page.processes.map(({ pid }) => pid))].join(' '),
        page.crash === null ? (page.isShared ? 'shared' : '') : page.crash.status,
      ]),
    ),
  ]);
}

const mostPages = 100;
