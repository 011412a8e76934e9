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
  const args = splitCommandLine(cmdline);
  if (args.length === 0) return null;
  const safe: string[] = [];
  let isSecretNext = false;
  for (const arg of args) {
    safe.push(isSecretNext ? '…' : safeArgument(arg));
    isSecretNext = !isSecretNext && /^--?[\w-]+$/.test(arg) && secretName.test(arg);
  }
  const text = safe.join(' ');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function safeArgument(arg: string): string {
  const assignment = /^(-{0,2}[\w.-]+)=(.*)$/s.exec(arg);
  if (assignment !== null && secretName.test(assignment[1] ?? '')) return `${assignment[1]}=…`;
  return arg.split(/(\s)/).map(safeWord).join('');
}

// Any scheme; also `user:password@host` of --proxy-server, which needs none.
function safeWord(word: string): string {
  return word
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^/?#@\s]*@/gi, '$1…@')
    .replace(/(^|=|;|,)[^/=:@\s]+:[^/@\s]+@(?=[\w.[-])/g, '$1…@')
    .replace(/([a-z][a-z0-9+.-]*:\/\/[^?#\s]*)[?#]\S*/gi, '$1?…')
    .replace(/(data:[^,;\s]{0,40})[,;]\S*/gi, '$1,…');
}
