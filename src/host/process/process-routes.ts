import type { Exchange } from '../http/exchange.ts';
import { param, sendJson } from '../http/exchange.ts';
import { readJson, requiredText } from '../http/json-body.ts';
import { HttpProblem } from '../http/problem.ts';
import type { Routes } from '../http/router.ts';
import { startEventStream } from '../http/sse.ts';
import type { HostPolicy } from '../quirks.ts';
import type { HostSession } from '../session.ts';
import { sendExecAnswer } from './exec-answer.ts';
import type { OutputFrame, ProcessEnd } from './frame.ts';
import type { SignalName } from './process-handle.ts';
import { startRequest, terminalSize } from './start-request.ts';

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const signals: readonly string[] = ['TERM', 'KILL', 'INT', 'HUP'];

/** The process API of one session, below `/browsers/{id}`. */
export function processRoutes(
  sessionOf: (exchange: Exchange) => HostSession,
  policy: HostPolicy,
): Routes {
  return {
    'POST /process/exec': async (exchange) => {
      const session = sessionOf(exchange);
      const request = startRequest(await readJson(exchange));
      const result = await session.processes.exec(request, exchange.signal);
      if (result === 'timed_out') throw timedOut(policy);
      const { end, stdout, stderr, durationMs } = result;
      const told = { ...policy.tellEnd(end), duration_ms: durationMs };
      await sendExecAnswer(exchange, told, { stdout, stderr });
    },
    'POST /process/spawn': async (exchange) => {
      const session = sessionOf(exchange);
      const handle = await session.processes.spawn(startRequest(await readJson(exchange)));
      sendJson(exchange, {
        process_id: handle.id,
        pid: handle.pid,
        started_at: new Date(handle.startedUnixMs).toISOString(),
      });
    },
    'GET /process': (exchange) => {
      const session = sessionOf(exchange);
      if (!policy.listsProcesses) throw new HttpProblem(404, 'no such path in this API');
      sendJson(exchange, session.listProcesses());
    },
    'GET /process/{process}/status': (exchange) => {
      sendJson(exchange, sessionOf(exchange).statusOf(param(exchange, 'process')));
    },
    'GET /process/{process}/stdout/stream': (exchange) => streamOutput(exchange, sessionOf, policy),
    'POST /process/{process}/stdin': async (exchange) => {
      const handle = sessionOf(exchange).processes.find(param(exchange, 'process'));
      const text = requiredText(await readJson(exchange), 'data_b64');
      if (!base64.test(text)) throw new HttpProblem(400, 'invalid base64');
      const written = await handle.write(Buffer.from(text, 'base64'));
      sendJson(exchange, { written_bytes: written });
    },
    'POST /process/{process}/kill': async (exchange) => {
      const session = sessionOf(exchange);
      const name = requiredText(await readJson(exchange), 'signal');
      if (!signals.includes(name)) throw new HttpProblem(400, 'invalid signal');
      session.signalProcess(param(exchange, 'process'), name as SignalName);
      sendJson(exchange, { ok: true });
    },
    'POST /process/{process}/resize': async (exchange) => {
      const handle = sessionOf(exchange).processes.find(param(exchange, 'process'));
      handle.resize(terminalSize(await readJson(exchange)));
      sendJson(exchange, { ok: true });
    },
  };
}

async function streamOutput(
  exchange: Exchange,
  sessionOf: (exchange: Exchange) => HostSession,
  policy: HostPolicy,
): Promise<void> {
  const handle = sessionOf(exchange).processes.find(param(exchange, 'process'));
  const stream = startEventStream(exchange, {
    waits: policy.streamWaits,
    keepsAlive: !policy.streamWaits,
  });
  for await (const item of handle.output.read(exchange.signal)) {
    await stream.send(eventOf(item, policy));
  }
  stream.end();
}

function eventOf(item: OutputFrame | ProcessEnd, policy: HostPolicy): object {
  if ('data' in item) return { stream: item.stream, data_b64: item.data.toString('base64') };
  return { event: 'exit', ...policy.tellEnd(item) };
}

function timedOut({ failedStatus, forbidsRetry }: HostPolicy): HttpProblem {
  const headers: Record<string, string> = forbidsRetry ? { 'x-should-retry': 'false' } : {};
  return new HttpProblem(failedStatus.timeout, 'process timed out', headers);
}
