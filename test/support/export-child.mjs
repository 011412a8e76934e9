// Exports a recording as `headroom export` does, with waits a thousand times shorter, small requests
// and an impatient client. It is there to be killed. Usage: export-child.mjs FILE ENDPOINT
import { timerSleep } from '../../dist/exporter/deadline.js';
import { exportRecording } from '../../dist/exporter/export-loop.js';
import { resolveTarget } from '../../dist/exporter/otlp/endpoint.js';

const [file = '', endpoint = ''] = process.argv.slice(2);
const { left, logs } = await exportRecording(file, {
  target: resolveTarget({ endpoint }, { OTEL_EXPORTER_OTLP_TIMEOUT: '500' }),
  limits: { items: 250 },
  runtime: { sleep: (ms, signal) => timerSleep(ms / 1000, signal) },
});
process.exitCode = left === 0 && logs?.left === 0 ? 0 : 1;
