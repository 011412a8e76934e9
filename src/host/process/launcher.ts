import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../../model/errors.ts';
import { hostSessionVariable } from '../../model/host-session.ts';
import { fileProblem } from '../files/file-problem.ts';
import { HttpProblem } from '../http/problem.ts';
import type { SessionCgroup } from '../machine.ts';
import type { SessionFolder } from '../session-folder.ts';
import type { LaunchedLine } from './child.ts';
import { launchLine } from './launch-line.ts';
import type { StartRequest } from './start-request.ts';
import { findUser, type ProcessUser } from './users.ts';

export interface LauncherOptions {
  sessionId: string;
  folder: SessionFolder;
  cgroup: SessionCgroup | null;
  /** Whether the host may give processes another user. */
  isRoot: boolean;
  /** Whether the host may put a /tmp of its own before each session. */
  hasPrivateTmp: boolean;
  hostEnv: Readonly<Record<string, string | undefined>>;
}

// What a program needs to run, and nothing that could be a secret of the host's.
const handedOn = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'DISPLAY', 'SHELL'];

/** Turns what a client wants into a command line that runs in the session; 400 where it cannot be. */
export class Launcher {
  readonly #options: LauncherOptions;

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  prepare(request: StartRequest): LaunchedLine {
    const { cgroup, folder, hasPrivateTmp } = this.#options;
    const user = this.#userOf(request);
    const cwd = this.#folderOf(request.cwd);
    const env = this.environment(request.env, user);
    mustBeProgram(request.command, { cwd: cwd.onMachine, path: env['PATH'] ?? '', folder });
    const line = launchLine({
      procsFile: cgroup?.procsFile ?? null,
      privateTmp: hasPrivateTmp ? folder.tmp : null,
      cwd: cwd.inSession,
      user,
      command: request.command,
      args: request.args,
    });
    return { line, env };
  }

  /** The line that puts a program of the host's own (the browser) into the session. */
  place(command: string, args: readonly string[]): LaunchedLine {
    const { cgroup, folder, hasPrivateTmp } = this.#options;
    const line = launchLine({
      procsFile: cgroup?.procsFile ?? null,
      privateTmp: hasPrivateTmp ? folder.tmp : null,
      cwd: folder.browserTmp,
      user: null,
      command,
      args,
    });
    return { line, env: { ...this.environment({}, null), TMPDIR: folder.browserTmp } };
  }

  environment(
    given: Readonly<Record<string, string>>,
    user: ProcessUser | null,
  ): Record<string, string> {
    const { hostEnv, hasPrivateTmp, folder, sessionId } = this.#options;
    const tmp = hasPrivateTmp ? '/tmp' : folder.tmp;
    const kept = handedOn.flatMap((name): [string, string][] => {
      const value = hostEnv[name];
      return value === undefined ? [] : [[name, value]];
    });
    const named = user?.name == null ? {} : { USER: user.name, LOGNAME: user.name };
    const env: Record<string, string> = {
      // First: it is looked for at the beginning.
      [hostSessionVariable]: sessionId,
      ...Object.fromEntries(kept),
      HOME: tmp,
      TMPDIR: tmp,
      ...named,
      ...given,
    };
    env[hostSessionVariable] = sessionId;
    return env;
  }

  #userOf({ asUser, asRoot }: StartRequest): ProcessUser | null {
    if (this.#options.isRoot) return asUser === null ? null : findUser(asUser);
    if (asRoot) throw new HttpProblem(400, 'as_root: the host does not run as root');
    if (asUser === null) return null;
    const user = findUser(asUser);
    if (user.uid === process.getuid?.()) return null;
    throw new HttpProblem(400, 'as_user: only a host that runs as root can change the user');
  }

  #folderOf(cwd: string | null): { inSession: string; onMachine: string } {
    const { folder, hasPrivateTmp } = this.#options;
    const inSession = cwd ?? (hasPrivateTmp ? '/tmp' : folder.tmp);
    const onMachine = folder.onMachine(inSession);
    const stats = statOf(onMachine);
    if (stats?.isDirectory() !== true) {
      throw new HttpProblem(
        400,
        `chdir: ${stats === undefined ? 'no such file or directory' : 'not a directory'}`,
      );
    }
    return { inSession: hasPrivateTmp ? inSession : onMachine, onMachine };
  }
}

/** Undefined where there is nothing; 400 where one may not look. */
function statOf(folder: string): fs.Stats | undefined {
  try {
    return fs.statSync(folder, { throwIfNoEntry: false });
  } catch (error) {
    throw fileProblem(error, 'chdir: ');
  }
}

function mustBeProgram(
  command: string,
  where: { cwd: string; path: string; folder: SessionFolder },
): void {
  const file = findProgram(command, where);
  if (file === undefined) throw new HttpProblem(400, 'exec: executable file not found in $PATH');
  mustRun(file);
}

function findProgram(
  command: string,
  { cwd, path: searchPath, folder }: { cwd: string; path: string; folder: SessionFolder },
): string | undefined {
  if (command.startsWith('/')) return folder.onMachine(command);
  if (command.includes('/')) return path.join(cwd, command);
  return searchPath
    .split(':')
    .map((part) => path.join(folder.onMachine(part), command))
    .find(isFile);
}

// A folder of PATH may be closed to whoever runs the host.
function isFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile();
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return false;
  }
}

function mustRun(file: string): void {
  try {
    // A link of the session's may lead to where only its processes see something.
    if (fs.lstatSync(file).isSymbolicLink()) return;
    fs.accessSync(file, fs.constants.X_OK);
    if (fs.statSync(file).isFile()) return;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    const isDenied = errno === 'EACCES' || errno === 'EPERM';
    throw new HttpProblem(
      400,
      `fork/exec: ${isDenied ? 'permission denied' : 'no such file or directory'}`,
    );
  }
  throw new HttpProblem(400, 'fork/exec: permission denied');
}
