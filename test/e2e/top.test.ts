import { spawn, spawnSync } from 'node:child_process';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { fakeProcess, fakeSample, mib } from '../support/fake-sample.ts';
import { headroomMain, runCli, temporaryFolder } from '../support/headroom-cli.ts';
import { recordSamples } from '../support/record-samples.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const file = folder.file('task.db');
recordSamples(
  file,
  [0, 1, 2].map((second) =>
    fakeSample({
      second,
      machine: { freeBytes: 512 * mib, inactiveFileBytes: 0, availableBytes: 512 * mib },
      processes: [
        fakeProcess({ pid: 100, role: 'browser', rssBytes: 200 * mib }),
        fakeProcess({ pid: 120, role: 'renderer', rssBytes: 300 * mib }),
      ],
    }),
  ),
);

describe('one frame', () => {
  test('of a recording, where stdout is no terminal: without an escape', async () => {
    const { exitCode, stdout } = await runCli('top', file);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('used 512 MiB  available 512 MiB  limit 1.00 GiB (machine)');
    expect(stdout).toMatch(/^renderer +1 +- +300 MiB/m);
    expect(stdout).not.toContain('\u001b');
  });

  test('of this machine, as JSON', async () => {
    const { exitCode, stdout } = await runCli('top', '--json');
    expect(exitCode).toBe(0);
    const view = JSON.parse(stdout);
    expect(view).toMatchObject({ schemaVersion: 1, source: 'local', state: 'live' });
    expect(view.processes.length).toBeGreaterThan(0);
  });

  test('two at a time are a usage error', async () => {
    const { exitCode, stderr } = await runCli('top', file, 'b.db');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('one at a time, not "b.db" as well');
  });
});

const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;

describe.runIf(hasScript)('in a terminal', () => {
  const enter = '\u001b[?1049h';
  const leave = '\u001b[?1049l';
  const patience = { timeout: 100_000, interval: 50 };

  function startInTerminal(given: { TERM?: string; NO_COLOR?: string; size?: string } = {}) {
    const { size = 'rows 24 cols 80', ...variables } = given;
    const command = `tty; stty ${size}; '${process.execPath}' '${headroomMain}' top '${file}'; code=$?; stty -a; exit $code`;
    const env = { ...process.env, TERM: 'xterm', NO_COLOR: '', ...variables };
    const child = spawn('script', ['-qec', command, '/dev/null'], { env });
    const terminal = { output: '', exitCode: null as number | null };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      terminal.output += text;
    });
    child.once('close', (code) => {
      terminal.exitCode = code;
    });
    return { child, terminal };
  }

  const lastFrame = (output: string) =>
    (output.split('\u001b[H').at(-1) ?? '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of the screen itself
      .replace(/\u001b\[[0-9]*[A-Za-z]/g, '')
      .split(/\r*\n/);

  test('that knows no escapes: one frame, without any, and it ends', async () => {
    const { child, terminal } = startInTerminal({ TERM: 'dumb' });
    try {
      await vi.waitFor(() => expect(terminal.exitCode).toBe(0), patience);
      expect(terminal.output).toMatch(/renderer +1 +-/);
      expect(terminal.output).not.toContain('\u001b');
    } finally {
      child.kill();
    }
  });

  test('that is tiny, without colours: it fits, and can be left', async () => {
    const { child, terminal } = startInTerminal({ NO_COLOR: '1', size: 'rows 4 cols 20' });
    try {
      await vi.waitFor(() => {
        const frame = lastFrame(terminal.output);
        expect(frame.length).toBeLessThanOrEqual(4);
        expect(frame.join('')).toContain('memory');
        expect(frame.every((line) => line.length <= 20)).toBe(true);
      }, patience);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that there must not be
      expect(terminal.output).not.toMatch(/\u001b\[3[0-7]m/);
      child.stdin.write('q');
      await vi.waitFor(() => expect(terminal.exitCode).toBe(0), patience);
      expect(terminal.output).toContain(leave);
    } finally {
      child.kill();
    }
  });

  test('draws, fits itself to a new size, obeys keys, and leaves all as it was', async () => {
    const { child, terminal } = startInTerminal();
    try {
      await vi.waitFor(() => expect(terminal.output).toMatch(/renderer +1 +-/), patience);
      expect(terminal.output).toContain(enter);
      expect(terminal.output).toContain('\u001b[32m');
      const device = /\/dev\/pts\/\d+/.exec(terminal.output)?.[0] ?? '';
      spawnSync('stty', ['-F', device, 'rows', '10', 'cols', '40']);
      await vi.waitFor(() => {
        const frame = lastFrame(terminal.output);
        expect(frame.at(-1)).toBe('by memory  q quit  ? help');
        expect(frame.length).toBeLessThanOrEqual(10);
        expect(frame.every((line) => line.length <= 40)).toBe(true);
      }, patience);
      child.stdin.write('p');
      await vi.waitFor(
        () => expect(lastFrame(terminal.output).at(-1)).toBe('by cpu  q quit  ? help'),
        patience,
      );
      child.stdin.write('q');
      await vi.waitFor(() => expect(terminal.exitCode).toBe(0), patience);
      const after = terminal.output.split(leave);
      expect(after).toHaveLength(2);
      expect(terminal.output).toContain('\u001b[?25h');
      // stty of the shell that started it: line by line, with an echo.
      expect(after[1]).toMatch(/\bicanon\b/);
      expect(after[1]).not.toMatch(/-icanon\b/);
      expect(after[1]).not.toMatch(/-echo\b/);
    } finally {
      child.kill();
    }
  });
});
