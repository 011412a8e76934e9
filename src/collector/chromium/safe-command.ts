import { splitCommandLine } from './command-line.ts';

// A flag or variable whose name has one of these words carries a secret as its value.
const secretName =
  /(pass(word|wd)?|secret|token|api-?_?key|auth|credential|cookie|private-?_?key)/i;
const longest = 2_000;

/**
 * A command line as it may be stored: without user and password, query and fragment of any URL, and
 * without the values of flags whose name speaks of a secret. Arguments are joined by blanks; null
 * for none. What follows `--password` as an argument of its own is taken out as well.
 */
export function safeCommand(cmdline: string): string | null {
  const args = splitCommandLine(shortened(cmdline));
  if (args.length === 0) return null;
  const safe: string[] = [];
  let isSecretNext = false;
  for (const arg of args) {
    safe.push(isSecretNext ? '…' : safeArgument(arg));
    isSecretNext = !isSecretNext && /^--?[\w-]+$/.test(arg) && secretName.test(arg);
  }
  return safe.join(' ');
}

// Cut at an argument's end: half a URL could no longer be told from harmless text.
function shortened(cmdline: string): string {
  if (cmdline.length <= longest) return cmdline;
  const head = cmdline.slice(0, longest);
  const end = Math.max(head.lastIndexOf('\0'), head.lastIndexOf(' '));
  return `${head.slice(0, Math.max(0, end))} …`;
}

function safeArgument(arg: string): string {
  const assignment = /^(-{0,2}[\w.-]+)=(.*)$/s.exec(arg);
  if (assignment !== null && secretName.test(assignment[1] ?? '')) return `${assignment[1]}=…`;
  return arg.split(/(\s)/).map(safeWord).join('');
}

// Any scheme; also `user:password@host` of --proxy-server, which needs none. All repetitions are
// bounded, so that a hostile command line costs no more than its length.
function safeWord(word: string): string {
  if (!/[:?#@]/.test(word)) return word;
  return word
    .replace(/([a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#@\s]{0,2000}@/gi, '$1…@')
    .replace(/(^|=|;|,)[^/=:@\s]{1,2000}:[^/@\s]{1,2000}@(?=[\w.[-])/g, '$1…@')
    .replace(/([a-z][a-z0-9+.-]{0,20}:\/\/[^?#\s]{0,2000})[?#]\S*/gi, '$1?…')
    .replace(/(data:[^,;\s]{0,40})[,;]\S*/gi, '$1,…');
}
