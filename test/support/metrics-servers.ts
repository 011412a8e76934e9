import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCli } from './headroom-cli.ts';
import { MetricsServer } from './metrics-server.ts';

export interface PrometheusOptions {
  /** Targets that are scraped every three seconds. */
  scrape?: readonly string[];
  ruleFiles?: readonly string[];
}

/** Prometheus; takes remote writes too, of samples up to a month old. */
export function startPrometheus(options: PrometheusOptions = {}): Promise<MetricsServer> {
  return MetricsServer.start({
    program: 'prometheus',
    args: (folder) => {
      const configFile = path.join(folder, 'prometheus.json');
      // JSON is YAML.
      writeFileSync(configFile, JSON.stringify(prometheusConfig(options)));
      return [
        `--config.file=${configFile}`,
        `--storage.tsdb.path=${folder}/data`,
        '--storage.tsdb.retention.time=2y',
        '--web.listen-address=127.0.0.1:0',
        '--web.enable-remote-write-receiver',
      ];
    },
    // With other keys in between in Prometheus 3.
    listening: /msg="Listening on"[^\n]* address=(\S+)/,
  });
}

/** OTLP goes to `<url>/opentelemetry` as an endpoint to which /v1/metrics is appended. */
export function startVictoriaMetrics(): Promise<MetricsServer> {
  return MetricsServer.start({
    program: 'victoria-metrics',
    args: (folder) => [
      `-storageDataPath=${folder}/data`,
      '-httpListenAddr=127.0.0.1:0',
      // Else names keep their dots, and no PromQL that is written for Prometheus finds them.
      '-opentelemetry.usePrometheusNaming',
      // Else the newest 30 s are hidden, and what is older than a month is dropped with status 200.
      '-search.latencyOffset=0s',
      '-retentionPeriod=2y',
    ],
    listening: vmListening,
  });
}

/** Takes OTLP as VictoriaMetrics does, at `<url>/opentelemetry`, and writes it to a Prometheus. */
export function startVmagent(prometheus: MetricsServer): Promise<MetricsServer> {
  return MetricsServer.start({
    program: 'vmagent',
    args: (folder) => [
      `-remoteWrite.url=${prometheus.url}/api/v1/write`,
      `-remoteWrite.tmpDataPath=${folder}/queue`,
      '-remoteWrite.flushInterval=100ms',
      '-opentelemetry.usePrometheusNaming',
      '-httpListenAddr=127.0.0.1:0',
    ],
    listening: vmListening,
  });
}

/** `headroom export --to otlp` into VictoriaMetrics or vmagent. */
export async function sendRecording(
  file: string,
  receiver: MetricsServer,
  ...flags: string[]
): Promise<void> {
  const { result } = startCli(['export', file, '--to', 'otlp', '--no-logs', ...flags], {
    ...process.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/opentelemetry`,
  });
  const { exitCode, stderr } = await result;
  if (exitCode !== 0) throw new Error(`the export ended with ${exitCode}: ${stderr}`);
}

/** What VictoriaMetrics took so far can be queried after this. */
export async function flush(victoriaMetrics: MetricsServer): Promise<void> {
  await victoriaMetrics.text('/internal/force_flush');
}

/** Asks until there is an answer that is wanted; for what a server does in its own time. */
export async function eventually<T>(ask: () => Promise<T | null>, timeoutMs = 120_000): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > endMs) throw new Error(`not seen within ${timeoutMs / 1000} s`);
    await sleep(200);
  }
}

const vmListening = /started server at http:\/\/([^/\s]+)\//;

function prometheusConfig({ scrape = [], ruleFiles = [] }: PrometheusOptions): object {
  return {
    // No shorter: a machine that is busy with other tests answers late.
    global: { scrape_interval: '3s', scrape_timeout: '3s', evaluation_interval: '1s' },
    rule_files: ruleFiles,
    storage: { tsdb: { out_of_order_time_window: '31d' } },
    scrape_configs: scrape.map((target, index) => {
      const { host, pathname } = new URL(target);
      return {
        job_name: `target-${index}`,
        metrics_path: pathname,
        static_configs: [{ targets: [host] }],
      };
    }),
  };
}
