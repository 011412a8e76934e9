import { splitCommandLine } from './command-line.ts';

// What has one of these in its name has a secret as its value; --proxy-bypass-list has not. Whoever
// knows the path of a webhook may post to it.
const secret =
  '(?:(?<!by)pass(?:word|wd|phrase)?|pwd|secret|token|bearer|(?:api|access|private)-?_?key|auth|credential|cookie|webhook)';
const secretName = new RegExp(secret, 'i');
// `token=…`, `"token": …`, `Authorization: …`. All repetitions are bounded, so that a hostile command
// line costs no more than its length.
const secretAssigned = new RegExp(`${secret}[\\w.-]{0,40}["']?\\s{0,4}[:=]`, 'i');
const dataUrl = /data:[^,;\s]{0,40}[,;]/i;
const urlArgument = /^(?:--[\w-]{1,60}=)?[a-z][a-z0-9+.-]{0,20}:\/\//i;
// Made once: without its compiler V8 makes a literal anew each time.
const blanks = /(\s+)/;
const userFlag = /^(?:-u|-U|--user|--proxy-user)$/;
const userAttached = /^(?:-[uU]|--(?:proxy-)?user=)(?=.*:)/;
const flagOrBearer = /^(?:--?[\w-]+|bearer)$/i;
const withColon = /:/;
const noFlag = /^(?!--)/;
const partOfUrl = /[?#@]/;
const longest = 2_000;

// Handles, times and numbers that Chromium gives to each child anew. They say nothing of it, and
// without them the children of one kind have one command line.
const passedOn =
  /^--(?:field-trial-handle|pseudonymization-salt-handle|metrics-shmem-handle|shared-files|gpu-preferences|variations-seed-version|trace-process-track-uuid|launch-time-ticks|time-ticks-at-unix-epoch|renderer-client-id)(?:=|$)/;

/**
 * A command line as it may be stored, null for none: its arguments joined by blanks, `…` for what was
 * taken out. That is user and password, query and fragment of URLs, what a data URL holds, and the
 * value of every flag, variable, header or field whose name speaks of a secret; such a value may hold
 * blanks, so in one argument all that follows goes with it. What handles Chromium passes on to its
 * children is left out without a mark, and what comes behind 2,000 characters with one.
 */
export function safeCommand(cmdline: string): string | null {
  const args = splitCommandLine(shortened(cmdline));
  if (args.length === 0) return null;
  const safe: string[] = [];
  let secretBehind: RegExp | null = null;
  for (const arg of args) {
    if (passedOn.test(arg)) continue;
    safe.push(secretBehind?.test(arg) === true ? '…' : safeArgument(arg));
    secretBehind = secretBehindFlag(arg);
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
  const text = upTo(secretAssigned, upTo(dataUrl, arg));
  if (urlArgument.test(text)) return safeWord(text);
  let secretBehind: RegExp | null = null;
  const words = text.split(blanks).map((word) => {
    if (word.trim() === '') return word;
    const safe = secretBehind?.test(word) === true ? '…' : safeWord(word);
    secretBehind = secretBehindFlag(word);
    return safe;
  });
  return words.join('');
}

/** What looks like a secret when it is the word behind this one; null when none is to be expected. */
function secretBehindFlag(word: string): RegExp | null {
  // curl, wget and their like.
  if (userFlag.test(word)) return withColon;
  return flagOrBearer.test(word) && secretName.test(word) ? noFlag : null;
}

function upTo(pattern: RegExp, text: string): string {
  const match = pattern.exec(text);
  return match === null ? text : `${text.slice(0, match.index + match[0].length)}…`;
}

function safeWord(word: string): string {
  const user = userAttached.exec(word);
  if (user !== null) return `${user[0]}…`;
  return partOfUrl.test(word) ? withoutQuery(withoutUserInfo(word)) : word;
}

// `user:password@` needs no scheme in --proxy-server. With a scheme the name alone goes as well: it may
// be a token. What else has an @ (mail, ssh, a package and its version) stays.
function withoutUserInfo(word: string): string {
  const parts = word.split('@');
  const host = parts.pop() ?? '';
  let isInside = false;
  const safe = parts.map((part) => {
    // A password with an @ in it.
    const start = isInside && !part.includes('/') ? 0 : userInfoStart(part);
    isInside = start !== null;
    return start === null ? part : `${part.slice(0, start)}…`;
  });
  return [...safe, host].join('@');
}

/** Where in the text before an @ the name of the user begins. */
function userInfoStart(part: string): number | null {
  const scheme = part.lastIndexOf('://');
  if (scheme >= 0 && !/[/?#]/.test(part.slice(scheme + 3))) return scheme + 3;
  const colon = part.indexOf(':', part.lastIndexOf('/') + 1);
  if (colon < 0) return null;
  const before = part.slice(0, colon);
  return 1 + Math.max(...['/', '=', ';', ','].map((sign) => before.lastIndexOf(sign)));
}

// Without a scheme a # is no fragment, and a ? begins a query only where values are given.
function withoutQuery(word: string): string {
  const text = cutQuery(word, word.search(/\?[^=]{0,100}=/));
  const scheme = text.indexOf('://');
  if (scheme < 0) return text;
  const url = text.slice(scheme);
  return text.slice(0, scheme) + cutQuery(url, url.search(/[?#]/));
}

function cutQuery(text: string, at: number): string {
  return at < 0 ? text : `${text.slice(0, at)}?…`;
}
