import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { serverProgram, serversMissing } from '../support/metrics-server.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const ruleFiles = ['headroom-alerts.yml', 'headroom-recording.yml'].map((name) =>
  pathOf(`../../dashboards/generated/prometheus/${name}`),
);

test.skipIf(serversMissing('promtool'))('Prometheus takes the rules', () => {
  const { stdout, stderr, status } = run('promtool', ['check', 'rules', ...ruleFiles]);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/SUCCESS: 9 rules found[\s\S]*SUCCESS: 6 rules found/);
  expect(status).toBe(0);
});

test.skipIf(serversMissing('promtool'))(
  'alerts are raised when they should be, and not else',
  () => {
    const tests = pathOf('rules.promtool.yml');
    expect(run('promtool', ['test', 'rules', tests])).toMatchObject({
      stdout: expect.stringContaining('SUCCESS'),
      stderr: '',
      status: 0,
    });
  },
);

test.skipIf(serversMissing('vmalert'))("VictoriaMetrics' vmalert takes the rules", () => {
  const rules = ruleFiles.map((file) => `-rule=${file}`);
  expect(run('vmalert', ['-dryRun', ...rules])).toMatchObject({ status: 0 });
});

function run(program: 'promtool' | 'vmalert', args: readonly string[]) {
  return spawnSync(serverProgram(program), args, { encoding: 'utf8' });
}
