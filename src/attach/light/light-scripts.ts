// For any POSIX shell, as those of session-scripts.ts. What differs is only ever an argument.

/** Argument: a program of Node.js. Prints `key value` lines, then two files behind a line of their own. */
export const sessionFactsScript = `say() { printf '%s %s\\n' "$1" "$2"; }
for program in perl bash busybox; do say "$program" "$(command -v "$program")"; done
say node "$(command -v "$1")"
say kernel "$(uname -r)"
say host "$(uname -n)"
say arch "$(uname -m)"
say boot "$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)"
say cpus "$(grep -c '^cpu[0-9]' /proc/stat 2>/dev/null)"
say page "$(getconf PAGESIZE 2>/dev/null)"
say tick "$(getconf CLK_TCK 2>/dev/null)"
say files "$(ulimit -n)"
grep MemTotal /proc/meminfo
echo cgroup:
cat /proc/self/cgroup 2>/dev/null
echo mountinfo:
cat /proc/self/mountinfo 2>/dev/null
exit 0
`;

/**
 * Argument: a program of Node.js or nothing. Prints `key value` lines: whether things can be read; PSS of
 * others' processes, where it is not root that asks.
 */
export const examineScript = `say() { printf '%s %s\\n' "$1" "$2"; }
try() { { read -r line <"$1"; } 2>/dev/null; }
user=$(id -u)
say user "$user"
pss=no
for each in /proc/[1-9]*; do
  [ "$user" = 0 ] || [ ! -O "$each" ] || continue
  if try "$each/smaps_rollup"; then pss=yes; break; fi
done
say pss "$pss"
if try /proc/pressure/memory; then say pressure yes; fi
if ( : </dev/kmsg ) 2>/dev/null; then say kmsg yes; fi
[ -z "$1" ] || say node "$("$1" -p 'process.version + " " + process.versions.sqlite' 2>/dev/null)"
exit 0
`;

/** Arguments: files. Prints the first line of each that can be read. */
export const firstLinesScript = `for file; do
  { IFS= read -r line <"$file" && printf '%s\\n' "$line"; } 2>/dev/null
done
exit 0
`;

/** Arguments: folder, the command of the sampler. Leaves no descriptor open, and no tables of a locale. */
export const startLightScript = `LC_ALL=C; export LC_ALL
umask 077
dir=$1
shift
cd "$dir" || exit 3
: >"$dir/log"
trap '' HUP
if command -v setsid >/dev/null; then set -- setsid "$@"; fi
"$@" >"$dir/log" 2>&1 </dev/null &
echo $! >"$dir/started"
`;

/**
 * Arguments: folder, the file to make. All files of frames in their order, packed where the session can;
 * one that is being packed may be there twice, or be gone under its first name by now, and one that was
 * left half packed would end all that follows. It is on the disk when it has its name.
 */
export const copyFramesScript = `umask 077
cd "$1" || exit 3
part=$2.part
: >"$part" || exit 3
seen=
for file in frames.*; do
  case $file in
    *.gz) [ "\${file%.gz}" = "$seen" ] || { gzip -t "$file" && cat "$file"; } ;;
    *)
      seen=$file
      if command -v gzip >/dev/null; then gzip -1 -c "$file" 2>/dev/null || cat "$file.gz"
      else cat "$file"; fi
  esac
done >>"$part" 2>/dev/null
{ sync "$part" || sync; } 2>/dev/null
mv "$part" "$2" || exit 3
wc -c <"$2"
sha256sum <"$2"
`;

/**
 * Arguments: the pids whose command lines are known, between blanks; more files. Prints one frame of the
 * shell sampler, without its head and its end.
 */
export const frameScript = `LC_ALL=C; export LC_ALL
known=$1
shift
cd /proc || exit 3
text=-a
printf 'a\\000b\\n' | grep -a b >/dev/null 2>&1 || text=
new=
for pid in [1-9]*; do
  case $known in *" $pid "*) ;; *) new="$new $pid/cmdline $pid/cgroup" ;; esac
done
grep -sH '' [1-9]*/stat [1-9]*/statm meminfo vmstat stat uptime pressure/* "$@"
[ -z "$new" ] || grep $text -sH '' $new | tr '\\000' '\\001'
exit 0
`;
