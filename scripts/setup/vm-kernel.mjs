import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import { thisMachine } from './debian-packages.mjs';
import { lastLines } from './run-command.mjs';
import { SetUpError } from './set-up-error.mjs';

/** What a machine of QEMU needs for the port that we talk through, for swap and for its disk. */
const wantedModules = [
  'virtio_pci',
  'virtio_console',
  'zram',
  'virtio_blk',
  // ext4 asks for it by the name of what it does.
  'crc32c_generic',
  'ext4',
];

/**
 * A kernel of Debian out of its package, not installed: `vmlinuz`, and the modules of the list with what
 * they need, numbered in the order in which they are loaded. Kept in the user's cache.
 *
 * @param {string} metaPackage `linux-image-amd64` and the like.
 * @returns {Promise<string>} The folder.
 */
export async function provideVmKernel(metaPackage, machine = thisMachine) {
  const list = createHash('sha256').update(wantedModules.join()).digest('hex').slice(0, 8);
  const folder = cacheFolder(`vm-${metaPackage}-${list}`);
  if (existsSync(folder)) return folder;
  const remedy = `It takes a Debian whose apt knows ${metaPackage}: apt-get update.`;
  const depends = await machine.run('apt-cache', ['depends', '--important', metaPackage]);
  const name = /Depends: (linux-image-\S+)/.exec(depends.output)?.[1];
  if (name === undefined) throw new SetUpError(`no kernel ${metaPackage} to be had`, remedy);

  machine.tell(
    `          … apt-get download ${name} (70 MB, of which 12 MB are kept in ${folder})`,
  );
  mkdirSync(path.dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-work-`);
  try {
    const script = `apt-get -q -o APT::Sandbox::User= download ${name} && dpkg-deb -x ./*.deb . && rm ./*.deb`;
    const { code, output } = await machine.run('sh', ['-c', script], { cwd: work });
    if (code !== 0) throw new SetUpError(`no kernel ${name}: ${lastLines(output, 3)}`, remedy);
    const kept = path.join(work, 'kept');
    mkdirSync(path.join(kept, 'modules'), { recursive: true });
    const image = readdirSync(path.join(work, 'boot')).find((file) => file.startsWith('vmlinuz-'));
    renameSync(path.join(work, 'boot', `${image}`), path.join(kept, 'vmlinuz'));
    keepModules(path.join(work, 'lib/modules'), path.join(kept, 'modules'));
    renameSync(kept, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

/**
 * @param {string} from
 * @param {string} to
 */
function keepModules(from, to) {
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const entry of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (entry.endsWith('.ko')) files.set(moduleName(entry), path.join(from, entry));
  }
  /** @type {Set<string>} */
  const kept = new Set();
  /** @param {string} name */
  const keep = (name) => {
    const file = files.get(name);
    // What is not a file of its own is built into the kernel.
    if (file === undefined || kept.has(name)) return;
    for (const needed of dependencies(file)) keep(needed);
    kept.add(name);
    copyFileSync(file, path.join(to, `${String(kept.size).padStart(2, '0')}-${name}.ko`));
  };
  for (const name of wantedModules) keep(name);
}

/**
 * What `modinfo` calls `depends`, and what its `softdep` wants before.
 *
 * @param {string} file
 */
function dependencies(file) {
  const text = readFileSync(file, 'latin1');
  const hard = /\0depends=([^\0]*)/.exec(text)?.[1] ?? '';
  const soft = /\0softdep=pre: ([^\0]*)/.exec(text)?.[1] ?? '';
  return [...soft.split(' '), ...hard.split(',')].filter(Boolean).map(moduleName);
}

/** @param {string} file */
function moduleName(file) {
  return path.basename(file, '.ko').replaceAll('-', '_');
}
