import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { thisMachine } from './debian-packages.mjs';

/** Programs of this machine that are there too, with their libraries. busybox has all the others. */
const programs = [process.execPath, '/usr/bin/perl'];
const perlModules = '/usr/lib/x86_64-linux-gnu/perl-base';

/**
 * Makes the file system that the kernel unpacks into its memory: the programs above, Headroom as it is
 * built here with the packages that it needs, and an /init that runs the commands of a port.
 *
 * @param {{ project: string, kernel: string, work: string }} from `work`: an empty folder.
 * @returns {string} The file.
 */
export function buildVmImage({ project, kernel, work }) {
  const root = path.join(work, 'root');
  for (const name of ['bin', 'dev', 'etc', 'proc', 'sys', 'tmp', 'run', 'data']) {
    mkdirSync(path.join(root, name), { recursive: true });
  }
  const busybox = thisMachine.findProgram('busybox') ?? '/usr/bin/busybox';
  for (const program of [...programs, busybox]) putProgram(program, root);
  cpSync(realpathSync(busybox), path.join(root, 'bin/busybox'));
  if (existsSync(perlModules))
    cpSync(perlModules, path.join(root, perlModules), { recursive: true });
  cpSync(path.join(kernel, 'modules'), path.join(root, 'modules'), { recursive: true });
  putHeadroom(project, path.join(root, 'headroom'));
  writeFileSync(path.join(root, 'etc/passwd'), passwd);
  writeFileSync(path.join(root, 'etc/group'), 'root:x:0:\nnogroup:x:65534:\n');
  writeFileSync(path.join(root, 'bin/headroom'), headroom, { mode: 0o755 });
  cpSync(path.join(project, 'test/vm/guest'), path.join(root, 'guest'), { recursive: true });
  cpSync(realpathSync('/usr/bin/perl'), path.join(root, 'chromium/chromium'));
  const image = path.join(work, 'initramfs');
  const pack = `find . | ${busybox} cpio -o -H newc > ../initramfs`;
  execFileSync('sh', ['-c', pack], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
  rmSync(root, { recursive: true });
  return image;
}

const passwd = 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/tmp:/bin/sh\n';
const headroom = `#!/bin/sh\nexec ${realpathSync(process.execPath)} /headroom/dist/cli/headroom.cjs "$@"\n`;

/**
 * @param {string} program
 * @param {string} root
 */
function putProgram(program, root) {
  const file = realpathSync(program);
  cpSync(file, path.join(root, file));
  if (file !== program) cpSync(file, path.join(root, program));
  for (const library of librariesOf(file)) {
    // Under the name that the linker looks for.
    cpSync(realpathSync(library), path.join(root, library));
  }
}

/** @param {string} file */
function librariesOf(file) {
  try {
    const listed = execFileSync('ldd', [file], { encoding: 'utf8', stdio: 'pipe' });
    return [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, library = '']) => library);
  } catch {
    // Statically linked.
    return [];
  }
}

/**
 * @param {string} project
 * @param {string} to
 */
function putHeadroom(project, to) {
  const lock = JSON.parse(readFileSync(path.join(project, 'package-lock.json'), 'utf8'));
  const names = Object.entries(lock.packages)
    .filter(([name, { dev }]) => name !== '' && dev !== true)
    .map(([name]) => name);
  for (const name of ['package.json', 'dist', ...names]) {
    const from = path.join(project, name);
    if (existsSync(from)) cpSync(from, path.join(to, name), { recursive: true, filter: isNeeded });
  }
}

/** @param {string} file */
function isNeeded(file) {
  return !/better-sqlite3\/(deps|src)$/.test(file);
}
