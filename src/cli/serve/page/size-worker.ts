import { parentPort, workerData } from 'node:worker_threads';
import { size } from '../../../analysis/sizing/size.ts';
import { renderJson } from '../../../report/json.ts';

/** One answer, then it ends. */
parentPort?.postMessage(renderJson(size(workerData)));
