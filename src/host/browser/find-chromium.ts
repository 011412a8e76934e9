import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { HeadroomError } from '../../model/errors.ts';

/** Under these names distributions and Google install it. */
const programNames = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'headless_shell',
];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Path of the Chromium or Chrome to start: HEADROOM_CHROMIUM, else the first one on PATH. Null when
 * there is none; BROWSER_NOT_FOUND when HEADROOM_CHROMIUM names something that cannot be run.
 */
export function findChromium(env: Environment = process.env): string | null {
  const chosen = env['HEADROOM_CHROMIUM'];
  if (chosen !== undefined && chosen !== '') {
    if (isProgram(chosen)) return chosen;
    throw new HeadroomError(
      'BROWSER_NOT_FOUND',
      `HEADROOM_CHROMIUM=${chosen} is not a program that can be run`,
      { hint: 'Give the full path of a Chromium or Chrome, or unset it to search PATH.' },
    );
  }
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  for (const name of programNames) {
    for (const folder of folders) {
      const candidate = path.join(folder, name);
      if (isProgram(candidate)) return candidate;
    }
  }
  return null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}
