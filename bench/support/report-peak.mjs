// Loaded before a program: says on its last line of stderr what it used. The peak is the process's
// own (VmHWM); getrusage counts what its parent held before the program was started.
import fs from 'node:fs';

process.on('exit', () => {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(fs.readFileSync('/proc/self/status', 'utf8')) ?? [];
  const { user, system } = process.cpuUsage();
  fs.writeSync(
    2,
    `${JSON.stringify({ peakBytes: Number(kib) * 1024, cpuMs: (user + system) / 1000 })}\n`,
  );
});
