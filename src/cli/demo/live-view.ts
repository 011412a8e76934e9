import path from 'node:path';
import { WatchedRecordings } from '../../exporter/prometheus/watched-recordings.ts';
import type { CommandIo } from '../command.ts';
import { startHttpServer } from '../serve/http-server.ts';
import { problemTeller } from '../serve/problem-teller.ts';
import { routesOf } from '../serve/routes.ts';

export interface LiveView {
  /** The page of the recording. */
  url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The page of one recording, as `headroom serve FILE` has it, on a free port of loopback. */
export async function serveLive(file: string, io: CommandIo): Promise<LiveView> {
  const tell = problemTeller(io);
  const routes = routesOf(file, new WatchedRecordings(file, { onProblem: tell }), tell);
  const server = await startHttpServer({
    address: '127.0.0.1',
    port: 0,
    answer: routes.answer,
    onError: tell,
  });
  return {
    url: `${server.url}/#/recording/${encodeURIComponent(path.basename(file))}`,
    async [Symbol.asyncDispose]() {
      await server.close();
      await routes.close();
    },
  };
}
