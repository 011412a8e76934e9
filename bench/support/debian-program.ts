import { thisMachine } from '../../scripts/setup/debian-packages.mjs';
import { type Found, provideDebianPrograms } from '../../scripts/setup/debian-programs.mjs';

export type { Found };

/** The program of the Debian package of the same name: the one on PATH, else out of the package. */
export async function debianProgram(name: string): Promise<Found> {
  const installed = thisMachine.findProgram(name);
  if (installed !== null) return { path: installed };
  const found = await provideDebianPrograms([{ program: name, package: name }]);
  return found.get(name) ?? { reason: `no ${name}` };
}
