import fs from 'node:fs';
import path from 'node:path';
import { thisMachine } from '../../scripts/setup/debian-packages.mjs';
import { lastLines, runQuietly } from '../../scripts/setup/run-command.mjs';

const keptIn = 'node_modules/.headroom/peers';

/** Where a program is, or why there is none. */
export type Found = { path: string } | { reason: string };

/**
 * A program of the Debian package of the same name: the one on PATH, else taken out of the package
 * without installing it, so that it needs no root and no service of it ever starts.
 */
export async function debianProgram(name: string): Promise<Found> {
  const installed = thisMachine.findProgram(name);
  if (installed !== null) return { path: installed };
  const folder = path.join(keptIn, name);
  const program = path.resolve(folder, 'usr/bin', name);
  if (fs.existsSync(program)) return { path: program };
  if (thisMachine.findProgram('apt-get') === null) return { reason: `no ${name}, and no apt-get` };

  fs.mkdirSync(folder, { recursive: true });
  for (const command of [
    // Downloaded into a folder of ours as ourselves, root or not.
    ['apt-get', '-q', '-o', 'APT::Sandbox::User=', 'download', name],
    ['sh', '-c', 'dpkg-deb -x ./*.deb . && rm ./*.deb'],
  ]) {
    const [file = '', ...args] = command;
    const { code, output } = await runQuietly(file, args, { cwd: folder });
    if (code !== 0) return { reason: `no ${name}: ${lastLines(output, 1)}` };
  }
  return fs.existsSync(program) ? { path: program } : { reason: `${name} is not in its package` };
}
