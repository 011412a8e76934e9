import http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodeProtobufLogs,
  decodeProtobufRequest,
  type WirePoint,
  type WireRecord,
} from './otlp-wire.ts';

/** What a receiver, a network or an operator does to a request. */
export const faults = [
  'status 429',
  'status 500',
  'status 502',
  'status 503',
  'status 504',
  'status 400',
  'status 413',
  'status 404',
  'redirect',
  'page',
  'partial',
  'reset',
  'reset after taking',
  'hang',
  'hang after taking',
  'half an answer',
  'kill',
  'kill after taking',
] as const;

export type Fault = (typeof faults)[number];

/** What arrived: of each series at each time, of each record id, every value that was told. */
export class Arrivals {
  readonly points = new Map<string, Set<string>>();
  readonly records = new Map<string, Set<string>>();

  /** All of a request but the first few, which the receiver does not keep. */
  take(body: Buffer, { isLogs, leavesOut = 0 }: { isLogs: boolean; leavesOut?: number }): void {
    if (isLogs) {
      for (const record of decodeProtobufLogs(body).records.slice(leavesOut)) {
        add(this.records, String(record.attributes['log.record.uid']), textOfRecord(record));
      }
    } else {
      for (const point of decodeProtobufRequest(body).points.slice(leavesOut)) {
        add(this.points, keyOf(point), textOf(point));
      }
    }
  }
}

export interface FaultyReceiver {
  url: string;
  arrivals: Arrivals;
  /** How often each thing was done. */
  done: Map<Fault | 'taken', number>;
  close(): Promise<void>;
}

/**
 * An OTLP receiver on loopback that does to each request what `next` says; null: it takes it. Kills
 * are asked for by `kill`.
 */
export async function startFaultyReceiver(
  next: () => Fault | null,
  kill: () => void,
): Promise<FaultyReceiver> {
  const arrivals = new Arrivals();
  const done: FaultyReceiver['done'] = new Map();
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const fault = next();
      const isLogs = request.url === '/v1/logs';
      done.set(fault ?? 'taken', (done.get(fault ?? 'taken') ?? 0) + 1);
      const takes = fault === null || fault.endsWith('after taking') || fault === 'half an answer';
      if (takes) arrivals.take(Buffer.concat(chunks), { isLogs });
      if (fault === 'partial') arrivals.take(Buffer.concat(chunks), { isLogs, leavesOut: 1 });
      if (fault?.startsWith('kill')) kill();
      else answer(response, fault);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    done,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(response: http.ServerResponse, fault: Fault | null): void {
  const [word, status] = fault?.split(' ') ?? [];
  if (word === 'status') {
    response.writeHead(Number(status), status === '429' ? { 'retry-after': '1' } : {}).end('no');
  } else if (word === 'reset') {
    response.socket?.destroy();
  } else if (word === 'redirect') {
    response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
  } else if (word === 'page') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
  } else if (word === 'half') {
    response.writeHead(200, { 'content-type': 'application/x-protobuf', 'content-length': '9' });
    response.write('x');
  } else if (word === 'partial') {
    // ExportMetricsServiceResponse { partial_success { rejected: 1 } }
    response.setHeader('content-type', 'application/x-protobuf').end(Buffer.from([10, 2, 8, 1]));
  } else if (word !== 'hang') {
    response.setHeader('content-type', 'application/x-protobuf').end();
  }
}

function add(to: Map<string, Set<string>>, key: string, text: string): void {
  const texts = to.get(key) ?? new Set();
  to.set(key, texts.add(text));
}

/** One series at one time. */
export function keyOf(point: WirePoint): string {
  const attributes = Object.entries(point.attributes).sort().join();
  return `${point.metric} ${attributes} ${point.timeNanos}`;
}

function textOf({ value }: WirePoint): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function textOfRecord(record: WireRecord): string {
  return `${record.eventName} ${record.timeNanos} ${record.body} ${JSON.stringify(record.attributes)}`;
}
