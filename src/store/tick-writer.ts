import type { Gap, RecordingEvent } from '../model/event.ts';
import { gapBetween, weightMs } from '../model/gap.ts';
import type { Sample } from '../model/sample.ts';
import type { EndReason } from '../model/session.ts';
import { AgentOsWriter, hasAgentOsTable } from './agentos-rows.ts';
import type { Database, Statement } from './driver.ts';
import { EventWriter } from './event-rows.ts';
import { insertSql } from './insert-sql.ts';
import type { MinuteRollup } from './minute-rollup.ts';
import { readOpenMinute } from './open-minute.ts';
import { ProcessWriter } from './process-writer.ts';
import { emptyRoleTotals, sumRoles } from './role-totals.ts';
import { hourOf, minuteOf } from './rollup-key.ts';
import { RollupWriter } from './rollup-writer.ts';
import { endSession } from './session-row.ts';
import {
  type SqlValue,
  settingRow,
  storedSettingColumnNames,
  storedTickColumnNames,
  tickRow,
} from './tick-columns.ts';
import { lastTick, type TickMoment } from './tick-rows.ts';

interface RecordingEnd {
  endedUnixMs: number | null;
  endReason: EndReason;
  events?: readonly RecordingEvent[];
}

/**
 * Writes everything that one sample adds to the file. `write` belongs inside a transaction and
 * changes no state that the next tick depends on: that is done by `commit` when the transaction
 * was, or undone by `discard`.
 */
export class TickWriter {
  readonly #db: Database;
  readonly #insertTick: Statement;
  readonly #insertSetting: Statement;
  readonly #insertMinute: Statement;
  readonly #processes: ProcessWriter;
  readonly #events: EventWriter;
  readonly #agentOs: AgentOsWriter | null;
  readonly #rollups: RollupWriter;
  readonly #minute: MinuteRollup;
  readonly #roles = emptyRoleTotals();
  readonly #row: SqlValue[] = [];
  #setting: SqlValue[] = [];
  #nextSetting: SqlValue[] = [];
  #last: TickMoment | null;
  #next: { moment: TickMoment; sample: Sample; weightMs: number } | null = null;
  /** The first tick of this run comes after those of an earlier one. */
  #goesOn: boolean;

  constructor(db: Database) {
    this.#db = db;
    this.#insertTick = db.prepare(insertSql('tick', [...storedTickColumnNames, 'sequence']));
    this.#insertSetting = db.prepare(
      insertSql('tick_setting', [...storedSettingColumnNames, 'sequence']),
    );
    this.#insertMinute = db.prepare(insertSql('tick_minute', ['sequence', 'start_unix_ms']));
    const last = lastTick(db);
    this.#processes = new ProcessWriter(db, last);
    this.#events = new EventWriter(db);
    this.#agentOs = hasAgentOsTable(db) ? new AgentOsWriter(db) : null;
    this.#rollups = new RollupWriter(db);
    this.#minute = readOpenMinute(db);
    if (last !== null) settingRow(last, this.#setting);
    this.#last = last;
    this.#goesOn = last !== null;
  }

  /** The last tick that was committed; null in a new file. */
  get last(): TickMoment | null {
    return this.#last;
  }

  write(sample: Sample, sequence: number, events: readonly RecordingEvent[]): void {
    const moment = {
      sequence,
      timeUnixMs: Math.round(sample.timeUnixMs),
      monotonicMs: Math.round(sample.monotonicMs),
    };
    const intervalMs = Math.round(sample.intervalMs);
    this.#next = { moment, sample, weightMs: weightMs(this.#last, moment, intervalMs) };
    this.#closeWindows(moment);
    tickRow(sample, this.#row)[storedTickColumnNames.length] = sequence;
    this.#insertTick.run(this.#row);
    settingRow(sample, this.#nextSetting);
    if (differ(this.#setting, this.#nextSetting)) {
      this.#insertSetting.run([...this.#nextSetting, sequence]);
    }
    if (sample.agentOs != null) this.#agentOs?.write(sequence, sample.agentOs);
    this.#processes.write(sample.processes, moment);
    for (const event of events) this.#events.write(event, moment);
    const restart = this.#restartGap(moment, intervalMs);
    if (restart !== null) this.#events.write(restart, moment);
  }

  commit(): void {
    if (this.#next === null) return;
    const { moment, sample, weightMs } = this.#next;
    this.#processes.commit(moment);
    [this.#setting, this.#nextSetting] = [this.#nextSetting, this.#setting];
    if (this.#minute.startUnixMs !== minuteOf(moment.timeUnixMs)) this.#minute.clear();
    sumRoles(sample.processes, this.#roles);
    this.#minute.add(sample, this.#roles, weightMs);
    this.#last = moment;
    this.#goesOn = false;
    this.#next = null;
  }

  discard(): void {
    this.#processes.discard();
    this.#next = null;
  }

  /** Between two ticks: texts that no process has any more were deleted. */
  reloadTexts(): void {
    this.#processes.reloadTexts();
  }

  /** The last transaction of a recording; `events` are what happened since its last tick. */
  finish({ events = [], ...end }: RecordingEnd): void {
    this.#processes.finish();
    if (this.#last !== null) for (const event of events) this.#events.write(event, this.#last);
    if (this.#last !== null) this.#rollups.writeMinute(this.#minute, this.#last.sequence);
    endSession(this.#db, end);
  }

  /** A tick in another minute than the one before closes that one, and its hour likewise. */
  #closeWindows({ sequence, timeUnixMs }: TickMoment): void {
    const minute = minuteOf(timeUnixMs);
    const last = this.#last;
    if (last !== null && minute === minuteOf(last.timeUnixMs)) return;
    this.#insertMinute.run(sequence, minute);
    if (last === null) return;
    this.#rollups.writeMinute(this.#minute, last.sequence);
    const hour = hourOf(last.timeUnixMs);
    if (hour !== hourOf(timeUnixMs)) this.#rollups.writeHour(hour);
  }

  #restartGap(moment: TickMoment, intervalMs: number): Gap | null {
    if (!this.#goesOn || this.#last === null) return null;
    const gap = gapBetween(this.#last, moment, intervalMs);
    return gap === null ? null : { ...gap, gap: 'restart' };
  }
}

function differ(a: readonly SqlValue[], b: readonly SqlValue[]): boolean {
  if (a.length !== b.length) return true;
  for (let at = 0; at < a.length; at++) {
    if (a[at] !== b[at]) return true;
  }
  return false;
}
