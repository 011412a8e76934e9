import { type ChildProcess, spawn } from 'node:child_process';
import os from 'node:os';
import { alertEvents } from '../collector/alerts/alert-events.ts';
import { type Alert, AlertWatch } from '../collector/alerts/alert-watch.ts';
import type { EventSource } from '../collector/recorder.ts';
import { oomScoreAdjBelow } from '../collector/self-protection.ts';
import { errnoOf } from '../model/errors.ts';
import { headroomVersion } from '../model/version.ts';
import { printable } from '../report/printable.ts';
import type { CommandIo } from './command.ts';
import type { RecordOptions } from './record-options.ts';

type Options = Pick<RecordOptions, 'alerts' | 'sessionId' | 'out' | 'labels'>;
type Io = Pick<CommandIo, 'stderr' | 'env'>;

const mostAtOnce = 4;
const longestRunMs = 60_000;
const postTimeoutMs = 10_000;
const lastWordMs = 10_000;
// A child has the recorder's protection from the OOM killer, which is not meant for it.
const asBefore = 'echo "$0" > /proc/self/oom_score_adj 2> /dev/null; exec /bin/sh -c "$1"';

/**
 * What happens at an alert: a line on stderr, a command, a request. Nothing here is waited for, four
 * at most go on at a time, and each ends after a while, or with the recording. The request is sent from this process: one of
 * its own would take 40 MiB in the moment when memory is short. Make it before the recorder protects
 * itself.
 */
export class AlertActions {
  readonly #options: Options;
  readonly #io: Io;
  readonly #ownOomScoreAdj = oomScoreAdjBelow('/proc').read();
  readonly #ownPriority = os.getPriority();
  readonly #running = new Set<Promise<void>>();
  /** Of {@link #running} the commands; without those that were ended from here. */
  readonly #commands = new Set<ChildProcess>();

  constructor(options: Options, io: Io) {
    this.#options = options;
    this.#io = io;
  }

  /** The rules, for the recorder; none without a rule. */
  get sources(): EventSource[] {
    const { rules } = this.#options.alerts;
    if (rules.length === 0) return [];
    return [alertEvents(new AlertWatch(rules), (alert) => this.tell(alert))];
  }

  tell(alert: Alert): void {
    const { run, webhook } = this.#options.alerts;
    this.#say(`alert ${alert.message}`);
    if (run !== null) this.#begin('--alert-run', () => this.#run(run, alert));
    if (webhook !== null) this.#begin('--alert-webhook', () => this.#post(webhook, alert));
  }

  /**
   * Waits for what still goes on, ten seconds at most and not at all in a hurry; then commands are
   * ended, as nobody is left to do it later.
   */
  async finish(hurry: AbortSignal, longestMs = lastWordMs): Promise<void> {
    if (this.#running.size > 0 && !hurry.aborted) await this.#lastWords(hurry, longestMs);
    for (const command of this.#commands) this.#endCommand(command, 'after the recording');
  }

  async #lastWords(hurry: AbortSignal, longestMs: number): Promise<void> {
    let stopWaiting: () => void = () => undefined;
    const enough = new Promise<void>((resolve) => {
      stopWaiting = resolve;
    });
    const timer = setTimeout(stopWaiting, longestMs);
    hurry.addEventListener('abort', stopWaiting, { once: true });
    await Promise.race([Promise.all(this.#running), enough]);
    clearTimeout(timer);
  }

  #begin(flag: string, act: () => Promise<void>): void {
    if (this.#running.size >= mostAtOnce) {
      this.#say(`${flag}: left out, as ${mostAtOnce} of earlier alerts are still going on`);
      return;
    }
    const running = act().catch((error: unknown) => {
      this.#say(`${flag}: ${error instanceof Error ? error.message : String(error)}`);
    });
    this.#running.add(running);
    void running.then(() => this.#running.delete(running));
  }

  async #run(command: string, alert: Alert): Promise<void> {
    const { env } = this.#io;
    const args =
      this.#ownOomScoreAdj === null
        ? ['-c', command]
        : ['-c', asBefore, String(this.#ownOomScoreAdj), command];
    const child = spawn('/bin/sh', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...env, ...this.#variables(alert) },
      detached: true,
    });
    child.unref();
    restorePriority(child, this.#ownPriority);
    this.#commands.add(child);
    const timer = setTimeout(() => this.#endCommand(child, 'after a minute'), longestRunMs);
    timer.unref();
    try {
      const end = await endOf(child);
      const wasEndedHere = !this.#commands.has(child);
      if (end !== 0 && !wasEndedHere) throw new Error(`the command ended with ${end}`);
    } finally {
      clearTimeout(timer);
      this.#commands.delete(child);
    }
  }

  #endCommand(command: ChildProcess, when: string): void {
    this.#commands.delete(command);
    endGroup(command);
    this.#say(`--alert-run: the command still ran ${when}, and was ended with its process group`);
  }

  #variables(alert: Alert): Record<string, string> {
    return Object.fromEntries(
      Object.entries(this.#facts(alert)).map(([name, value]) => [
        `HEADROOM_ALERT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
        value === null ? '' : String(value),
      ]),
    );
  }

  #facts(alert: Alert) {
    const { rule, timeUnixMs, value, largest } = alert;
    const { sessionId, out: file } = this.#options;
    return {
      rule: rule.text,
      metric: rule.metric,
      value,
      threshold: rule.threshold,
      unit: rule.unit,
      timeUnixMs,
      message: alert.message,
      availableBytes: alert.availableBytes,
      limitBytes: alert.limitBytes,
      largestPid: largest?.pid ?? null,
      largestRole: largest?.role ?? null,
      largestBytes: largest?.anonBytes ?? null,
      sessionId,
      file,
    };
  }

  async #post(webhook: string, alert: Alert): Promise<void> {
    const { labels } = this.#options;
    const body = JSON.stringify({ schemaVersion: 1, ...this.#facts(alert), labels });
    const url = new URL(webhook);
    const { request } = await (url.protocol === 'https:'
      ? import('node:https')
      : import('node:http'));
    await new Promise<void>((resolve, reject) => {
      const fail = (reason: string) => reject(new Error(`${url.host}: ${reason}`));
      const call = request(
        url,
        {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'user-agent': `headroom/${headroomVersion}`,
          },
          signal: AbortSignal.timeout(postTimeoutMs),
        },
        (response) => {
          const status = response.statusCode ?? 0;
          response.destroy();
          if (status >= 200 && status < 300) resolve();
          else fail(`status ${status}`);
        },
      );
      call.on('error', (error) => fail(errnoOf(error) ?? error.message));
      call.end(body);
    });
  }

  #say(text: string): void {
    this.#io.stderr.write(`${printable(text)}\n`);
  }
}

function restorePriority(child: ChildProcess, priority: number): void {
  if (child.pid === undefined) return;
  try {
    os.setPriority(child.pid, priority);
  } catch (error) {
    // It has ended already.
    if (errnoOf(error) === null) throw error;
  }
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

function endOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'no code'));
    child.once('error', reject);
  });
}
