/** What is in the folder of the collector, in a session. */
export function collectorFiles(folder: string) {
  return {
    program: `${folder}/collector.cjs`,
    request: `${folder}/request.json`,
    owner: `${folder}/owner`,
    recording: `${folder}/recording.db`,
    state: `${folder}/state.json`,
    light: {
      perl: `${folder}/light.pl`,
      shell: `${folder}/light.sh`,
      head: `${folder}/head.json`,
      files: `${folder}/files`,
    },
    pid: `${folder}/pid`,
    log: `${folder}/log`,
    addon: `${folder}/node_modules`,
  };
}

// For any POSIX shell. What differs is only ever an argument, never part of a script.

// Of two that are started at once one gives up: the other is the one that names itself in `pid`.
const isAlive = `is_alive() {
  for name in pid started; do
    pid=$(cat "$1/$name" 2>/dev/null) && [ -n "$pid" ] || continue
    tr '\\0' '\\n' 2>/dev/null <"/proc/$pid/cmdline" |
      grep -qxF -e "$1/collector.cjs" -e "$1/light.pl" -e "$1/light.sh" && return 0
  done
  return 1
}
`;

/** What a script ends with where the place of the folder is taken. */
export const placeTaken = 5;

// The temporary folder is everybody's: only what was made here is used, and removed. The mark in it is
// there a moment after the folder, which two that start at once may see.
const refuseForeign = `is_marked() { [ -e "$1/.made-by-headroom" ]; }
refuse_foreign() {
  why=
  if [ -L "$1" ]; then why='is a link'
  elif [ ! -e "$1" ]; then return 0
  elif [ ! -d "$1" ]; then why='is no folder'
  elif [ ! -O "$1" ]; then why='belongs to another user'
  else
    case $(ls -ld -- "$1") in
      drwx--[-S]---*) is_marked "$1" || sleep 1; is_marked "$1" || why='was not made by headroom' ;;
      *) why='is open to others, or not to its owner'
    esac
  fi
  [ -z "$why" ] || { echo "$1 $why" >&2; exit ${placeTaken}; }
}
`;

const findFolder = `${refuseForeign}umask 077
d=\${TMPDIR:-/tmp}/headroom
refuse_foreign "$d"
`;

/** Prints the folder, and the pid of its collector or `none`. */
export const locateScript = `${isAlive}${findFolder}printf '%s\\n' "$d"
if is_alive "$d"; then echo "$pid"; else echo none; fi
`;

/** Makes the folder, unless it is there. */
export const prepareScript = `${findFolder}[ -d "$d" ] || mkdir "$d" || refuse_foreign "$d"
: >"$d/.made-by-headroom"
`;

// A small heap. Node.js 20, 22, 24 and 26 know all of these; one that does not know one does not start.
const heapFlags =
  '--lite-mode --optimize-for-size --semi-space-growth-factor=1 --single-threaded-gc --expose-gc --bytecode-old-age=1';

/** Arguments: folder, program of Node.js. Leaves no descriptor open. */
export const startScript = `${isAlive}if is_alive "$1"; then exit 0; fi
umask 077
cd "$1" || exit 3
command -v "$2" >/dev/null || { echo "there is no $2" >&2; exit 3; }
: >"$1/log"
setsid "$2" ${heapFlags} "$1/collector.cjs" record >"$1/log" 2>&1 </dev/null &
echo $! >"$1/started"
`;

/** Arguments: folder, mark of the one who follows from now on. A folder that is gone stays so. */
export const ownScript = `umask 077
cd "$1" 2>/dev/null || exit 0
printf %s "$2" >.owner.part && mv .owner.part owner
`;

/** Argument: folder. Asks the collector to end and waits for it, for a minute. */
export const stopScript = `${isAlive}is_alive "$1" || exit 0
kill -TERM "$pid"
i=0
while is_alive "$1"; do
  i=$((i + 1)); [ $i -lt 300 ] || exit 4
  sleep 0.2
done
`;

/** Argument: folder. Removes it, unless it is not ours any more. */
export const removeScript = `${refuseForeign}refuse_foreign "$1"
rm -rf -- "$1"
`;
