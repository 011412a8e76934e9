import type { ProcessRole } from '../../model/process-role.ts';

const browserExecutables = new Set([
  'chromium',
  'chromium-browser',
  'chrome',
  'chrome-headless-shell',
  'headless_shell',
  'google-chrome',
  'google-chrome-stable',
  'Google Chrome',
  'Chromium',
  'msedge',
  'brave',
]);

// TASK_COMM_LEN of include/linux/sched.h, less the NUL.
const commLength = 15;
const browserComms = new Set([...browserExecutables].map((name) => name.slice(0, commLength)));

const typeRoles = new Map<string, ProcessRole>([
  ['renderer', 'renderer'],
  ['zygote', 'zygote'],
  ['gpu-process', 'gpu'],
  ['utility', 'utility'],
]);

const utilityRoles = new Map<string, ProcessRole>([
  ['NetworkService', 'network'],
  ['StorageService', 'storage'],
]);

// Made once: without its compiler V8 makes a literal anew each time.
const browserFlag =
  /^--(?:user-data-dir|headless|remote-debugging-(?:port|pipe)|no-(?:sandbox|first-run|default-browser-check|zygote)|single-process|disable-gpu|app)(?:=|$)/;
const nulsAtEnd = /\0+$/;
const blankBeforeFlag = / (?=--)/;

/** What a process is by its own words: a role, or perhaps a browser, which only its children can tell. */
export type OwnRole = ProcessRole | 'perhaps_browser';

export interface CommandSource {
  /** The bytes of `/proc/<pid>/cmdline` as text, NULs kept; '' for zombies and kernel threads. */
  cmdline: string;
  /** Base name of `/proc/<pid>/exe`; null where it may not be read. */
  executable: string | null;
  comm: string;
}

/**
 * The role that a process has by its own words; null when it is no Chromium's. A process that says
 * `browser` may yet be the child of one that has not told its type; the tree decides. Any program may
 * be named `chrome`: without a flag that browsers are started with it is only perhaps one. Without a
 * command line (a zombie, a process that is renaming itself) the name alone tells a Chromium's
 * process, and its role is `other`.
 *
 * Chromium's children rewrite their command line into one string joined by blanks, the browser and
 * a child started by exec keep NULs between the arguments; both forms are read.
 */
export function roleOfCommand(source: CommandSource): OwnRole | null {
  const args = splitCommandLine(source.cmdline);
  const name = source.executable ?? baseName(args[0] ?? source.comm);
  if (name.startsWith('chrome_crashpad')) return 'crashpad';
  if (args.length === 0) return browserComms.has(name.slice(0, commLength)) ? 'other' : null;
  const type = flagValue(args, '--type');
  const isBrowserProgram = browserExecutables.has(name) || name === 'exe';
  if (type === null) {
    if (!browserExecutables.has(name)) return null;
    return args.some((arg) => browserFlag.test(arg)) ? 'browser' : 'perhaps_browser';
  }
  const role = typeRoles.get(type);
  if (role === undefined) return isBrowserProgram ? 'utility' : null;
  if (role === 'renderer' && args.includes('--extension-process')) return 'extension';
  if (role === 'utility') return utilityRole(args);
  return role;
}

/** The arguments of a cmdline, whichever of the two forms it has. */
export function splitCommandLine(cmdline: string): string[] {
  const text = cmdline.replace(nulsAtEnd, '');
  if (text === '') return [];
  if (text.includes('\0')) return text.split('\0');
  return text.split(blankBeforeFlag);
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

// The first one counts: Chromium puts --type right behind the program, user data comes after it.
function flagValue(args: readonly string[], flag: string): string | null {
  const found = args.find((arg) => arg.startsWith(`${flag}=`));
  return found === undefined ? null : found.slice(flag.length + 1);
}

function utilityRole(args: readonly string[]): ProcessRole {
  const subType = flagValue(args, '--utility-sub-type') ?? '';
  return utilityRoles.get(subType.slice(subType.lastIndexOf('.') + 1)) ?? 'utility';
}
