import {
  integerField,
  type JsonBody,
  requiredText,
  switchField,
  textField,
  textList,
  textMap,
} from '../http/json-body.ts';
import { HttpProblem } from '../http/problem.ts';
import type { TerminalSize } from './terminal-child.ts';

/** What a client wants to be started, of `exec` and of `spawn`. */
export interface StartRequest {
  command: string;
  args: readonly string[];
  cwd: string | null;
  env: Readonly<Record<string, string>>;
  asUser: string | null;
  asRoot: boolean;
  /** Null: no limit. */
  timeoutSeconds: number | null;
  /** Null: pipes. */
  terminal: TerminalSize | null;
}

const usualSize: TerminalSize = { rows: 24, cols: 80 };
const longestSeconds = 7 * 24 * 3_600;

/** Reads the body of `exec` and `spawn`; 400 naming the field. */
export function startRequest(body: JsonBody): StartRequest {
  const asUser = textField(body, 'as_user');
  const asRoot = switchField(body, 'as_root') ?? false;
  if (asUser !== null && asRoot) {
    throw new HttpProblem(400, 'cannot specify both as_root and as_user');
  }
  const cwd = textField(body, 'cwd');
  if (cwd !== null && !cwd.startsWith('/')) {
    throw new HttpProblem(400, 'cwd must be an absolute path');
  }
  const seconds = integerField(body, 'timeout_sec', { min: 0, max: longestSeconds });
  return {
    command: requiredText(body, 'command'),
    args: textList(body, 'args'),
    cwd,
    env: textMap(body, 'env'),
    asUser,
    asRoot,
    timeoutSeconds: seconds === 0 ? null : seconds,
    terminal: switchField(body, 'allocate_tty') === true ? terminalSize(body, usualSize) : null,
  };
}

/** `rows` and `cols`, 1 to 65535; what is not given is as in `otherwise`, without it a 400. */
export function terminalSize(body: JsonBody, otherwise?: TerminalSize): TerminalSize {
  const range = { min: 1, max: 65_535 };
  const rows = integerField(body, 'rows', range) ?? otherwise?.rows;
  const cols = integerField(body, 'cols', range) ?? otherwise?.cols;
  if (rows === undefined || cols === undefined)
    throw new HttpProblem(400, 'rows and cols required');
  return { rows, cols };
}
