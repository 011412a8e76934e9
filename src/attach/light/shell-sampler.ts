/**
 * The light sampler for a session without perl: any POSIX shell, with grep. A frame
 * (collector/light/frame-reader.ts) is what one `grep -H ''` gives of all files, so no name of a process
 * can be taken for anything else; only command lines are told once, and all again in every sixtieth
 * frame, where the file changes. It waits with `read -t` where the shell has it (bash, busybox), which
 * forks nothing, else with sleep.
 *
 * Arguments as those of the perl sampler, though it has no use for clock and number of files.
 */
export const shellSampler = `dir=$1 every=$2 room=$5
set --
while IFS= read -r file; do set -- "$@" "$file"; done <"$dir/files"
LC_ALL=C; export LC_ALL
umask 077
fail() { printf '{"problem":"%s"}\\n' "$1" >&2; exit 1; }
IFS= read -r head <"$dir/head.json" || fail "$dir/head.json"
cd /proc || fail 'no /proc'
trap '' HUP PIPE
over=
trap 'over=!' TERM INT

# One a session: a lock that is held by this process, or a pid that lives and is this program.
if command -v flock >/dev/null; then
  exec 9>>"$dir/lock" || fail "$dir/lock"
  flock -n 9 || exit 0
elif [ -s "$dir/pid" ] && tr '\\000' '\\n' 2>/dev/null <"$(cat "$dir/pid")/cmdline" | grep -qxF "$dir/light.sh"; then
  exit 0
fi
put() { printf '%s' "$2" >"$dir/.$1.part" && mv "$dir/.$1.part" "$dir/$1"; }
put pid "$$
"

# What this grep and this shell can do.
text=-a
printf 'a\\000b\\n' | grep -a b >/dev/null 2>&1 || text=
gzip=
command -v gzip >/dev/null && gzip=yes
timer=
if command -v mkfifo >/dev/null; then
  rm -f "$dir/timer"
  mkfifo "$dir/timer" && exec 8<>"$dir/timer" && {
    (read -t 0.01 _ <&8) 2>/dev/null
    case $? in 0|2) ;; *) timer=yes ;; esac
  }
fi
# bash ends no read before its time is over, whatever the signal.
[ "\${every%%.*}" -le 10 ] || timer=
pause() {
  [ -z "$over" ] || return 0
  if [ -n "$timer" ]; then read -t "$every" _ <&8
  else
    sleep "$every" 8<&- 9>&- &
    wait $! || kill $! 2>/dev/null
  fi
}

# Of several sessions on one machine only the cgroup tells which browser is whose.
case $head in *headroom-host-*) groups=yes ;; *) groups= ;; esac

# The processes that are new, as $new.
meet() {
  new='' now=' '
  for pid in [1-9]*; do
    now="$now$pid "
    case $known in *" $pid "*) ;; *) new="$new $pid/cmdline\${groups:+ $pid/cgroup}" ;; esac
  done
  known=$now
}

# The next file. The one before is packed, and the oldest are removed until all fit.
turn() {
  for old in "$dir"/frames.*; do
    case $old in *.gz) ;; *)
      [ -n "$gzip" ] && [ -f "$old" ] && (gzip -1 -f "$old" 2>/dev/null 8<&- 9>&- &)
    esac
  done
  total=0
  for old in $(cd "$dir" && ls -r); do
    case $old in
      frames.*)
        [ "$total" -gt 0 ] || { last=\${old#frames.}; last=\${last%.gz}; }
        total=$((total + 1 + $({ wc -c <"$dir/$old" || echo 0; } 2>/dev/null)))
        [ "$total" -lt $((room - 4194304)) ] || rm -f "$dir/$old"
    esac
  done
  last=$(expr "$last" + 1)
  while [ \${#last} -lt 8 ]; do last=0$last; done
  printf '\\nH %s %s\\n' "$$" "$head" >"$dir/frames.$last"
}

n=0 again='' last=0 known=' ' whole='' told=0
while :; do
  n=$((n + 1)) kind=D last_one=$over
  if [ $((n % 60)) -eq 1 ] || [ -z "$whole" ]; then
    kind=K known=' ' again=''
    turn
  fi
  meet
  body=$(exec 8<&- 9>&-; exec grep -sH '' [1-9]*/stat [1-9]*/statm meminfo vmstat stat uptime pressure/* "$@")
  # What was new may yet take another program, or tell its type.
  if [ -n "$new$again" ]; then
    body="$body
$(exec 8<&- 9>&-; grep $text -sH '' $new $again | tr '\\000' '\\001')"
  fi
  again=$new
  printf 'F %s %s%s - -\\n%s\\nE %s %s -\\n' "$n" "$kind" "$last_one" "$body" "$n" "$((\${#body} + 1))" >>"$dir/frames.$last" && whole=yes || whole=
  # About every ten seconds; a shell does not know the time.
  if [ -n "$last_one" ] || [ "$told" -le 0 ]; then
    read -r up _ <uptime
    put state.json "{\\"pid\\":$$,\\"nodePath\\":\\"\\",\\"light\\":\\"shell\\",\\"sampleCount\\":$n,\\"lastUnixMs\\":\${up%.*}000,\\"isOver\\":$([ -n "$last_one" ] && echo true || echo false)}"
    told=\${every%%.*}
    told=$((10 / (told > 0 ? told : 1)))
  fi
  told=$((told - 1))
  [ -z "$last_one" ] || exit 0
  pause
done
`;
