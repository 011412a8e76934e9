// Exports a recording as `headroom export` does, with waits a thousand times shorter, small requests
// and an impatient client. It is there to be killed. Usage: export-child.mjs FILE ENDPOINT
import timers from 'node:timers/promises';
import { exportRecording } from '../../dist/exporter/export-loop.js';
import { resolveTarget } from '../../dist/exporter/otlp/endpoint.js';

const [file, endpoint] = process.argv.slice(2);
const { left, logs } = await exportRecording(file, {
  target: resolveTarget({ endpoint }, { OTEL_EXPORTER_OTLP_TIMEOUT: '500' }),
  limits: { items: 250 },
  runtime: {
    sleep: async (ms, signal) => {
      await timers.setTimeout(ms / 1000, undefined, { signal }).catch(() => undefined);
    },
  },
});
process.exitCode = left === 0 && logs.left === 0 ? 0 : 1;
