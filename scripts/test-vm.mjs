// npm run test:vm: Headroom in virtual machines with a kernel of Debian's, emulated by QEMU without KVM: cgroup v2,
// suspend, reboots, snapshots, clocks that are set, a machine that runs out of memory. Arguments select by a part of the name; it takes minutes.
// VM_KERNEL=linux-image-6.12-amd64 takes another kernel that apt knows.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installDebianPackages, thisMachine } from './setup/debian-packages.mjs';
import { runInFront } from './setup/run-command.mjs';
import { projectRoot, runScript, setUp } from './setup/set-up.mjs';
import { SetUpError } from './setup/set-up-error.mjs';
import { buildVmImage } from './setup/vm-image.mjs';
import { provideVmKernel } from './setup/vm-kernel.mjs';

const tools = [
  { program: 'qemu-system-x86_64', package: 'qemu-system-x86' },
  { program: 'busybox', package: 'busybox-static' },
  { program: 'mke2fs', package: 'e2fsprogs' },
];

await runScript(async () => {
  await setUp({ forTests: false });
  await provideTools();
  const kernel = await provideVmKernel(process.env['VM_KERNEL'] ?? 'linux-image-amd64');
  const work = mkdtempSync(path.join(tmpdir(), 'headroom-vm-image-'));
  try {
    const image = buildVmImage({ project: projectRoot, kernel, work });
    console.error(
      execFileSync('qemu-system-x86_64', ['--version'], { encoding: 'utf8' }).split('\n')[0],
    );
    // What a machine that was killed leaves is removed with it.
    const temporary = path.join(work, 'tmp');
    mkdirSync(temporary);
    const vm = { HEADROOM_VM_KERNEL: kernel, HEADROOM_VM_IMAGE: image, TMPDIR: temporary };
    const env = { ...process.env, ...vm };
    const vitest = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'test/vm/vitest.config.ts',
    ];
    return await runInFront(process.execPath, [...vitest, ...process.argv.slice(2)], { env });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});

async function provideTools() {
  // mke2fs is there, also for those who do not look there.
  process.env['PATH'] += ':/usr/sbin';
  const missing = tools.filter(({ program }) => thisMachine.findProgram(program) === null);
  if (missing.length === 0) return;
  const packages = missing.map((tool) => tool.package);
  console.error(`          … QEMU takes 100 MB with what it needs: ${packages.join(', ')}`);
  const refusal = await installDebianPackages(packages);
  if (refusal !== null) throw new SetUpError(`no ${packages.join(', ')}`, refusal);
}
