/**
 * What the shell on the other side is started with. Nothing of a call is in it, so that no login shell
 * (sh, fish, csh …) can read it in its own way, and no list of processes shows arguments or variables
 * of a call: those come as one line of input, and what follows that line is input of the command.
 */
export const bootLine = `n=$(echo; echo x); n=\${n%x}; IFS= read -r line && eval "$line"`;

export interface ShellScript {
  /**
   * For any POSIX shell: `$1` and so on are {@link args}, `$headroom_mark` is the mark, and the function
   * `variables` exports {@link env}, which may change PATH and TMPDIR under a script's feet.
   */
  script: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /**
   * Told on both outputs when the script begins, with its pid: what a login shell says before is not
   * what the script says.
   */
  mark: string;
}

/** The line of input that makes the shell run a script; TypeError for what no process can be given. */
export function shellLine({ script, args, env = {}, mark }: ShellScript): string {
  const variables = Object.entries(env).map(([name, value]) => {
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new TypeError(`"${name}" is no name of a variable`);
    return ` ${name}=${quoted(value)}`;
  });
  const parts = [
    `headroom_mark=${quoted(mark)}`,
    'echo "$headroom_mark $$"; echo "$headroom_mark $$" >&2',
    // All in one command: each value is read before the first is set.
    `variables() { ${variables.length === 0 ? ':' : `export${variables.join('')}`}; }`,
    `set -- ${args.map(quoted).join(' ')}`,
    `eval ${quoted(script)}`,
  ];
  return `${parts.join('; ')}\n`;
}

/** One word of a shell, in one line: `$n` is a newline. */
function quoted(text: string): string {
  if (text.includes('\0')) throw new TypeError('an argument with a NUL');
  return `'${text.replaceAll("'", "'\\''").replaceAll('\n', '\'"$n"\'')}'`;
}
