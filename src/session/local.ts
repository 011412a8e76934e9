import { MachineSession } from './machine/machine-session.ts';
import { Shell } from './machine/shell.ts';
import { bootLine } from './machine/shell-line.ts';
import type { Session } from './session.ts';

/** This machine. */
export function localSession(): Session {
  const hint = 'It needs /bin/sh.';
  return new MachineSession(
    new Shell({ name: 'local', program: ['/bin/sh', '-c', bootLine], hint }),
  );
}
