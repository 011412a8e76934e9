import { psColumns } from '../ps-listing.ts';

// For any POSIX shell and for the perl of Debian's perl-base. What differs from call to call is only
// ever an argument, never part of a script.

/**
 * Arguments: folder or nothing, command. Runs it and tells how it ended as the last line that has the
 * mark on stderr: code and number of the signal. A shell alone knows the two only as one number.
 */
export const execScript = `if [ -n "$1" ]; then
  case $1 in -*) d=./$1 ;; *) d=$1 ;; esac
  unset CDPATH
  cd "$d" || { echo "$headroom_mark 126 0" >&2; exit 0; }
fi
shift
if perl=$(command -v perl); then
  set -- "$perl" -e '
    my $mark = shift;
    my $end = system { $ARGV[0] } @ARGV;
    my ($code, $signal) = ($end >> 8, $end & 127);
    if ($end == -1) {
      ($code, $signal) = ($! == 2 ? 127 : 126, 0);
      print STDERR "$ARGV[0]: $!\\n";
    }
    print STDERR "$mark $code $signal\\n";
  ' "$headroom_mark" "$@"
  variables
  exec "$@"
fi
variables
"$@"
echo "$headroom_mark $? 0" >&2
`;

/** Argument: pid of the leader of a group. */
export const endGroupScript = 'kill -KILL "-$1" 2>/dev/null || kill -KILL "$1" 2>/dev/null || :';

/** Argument: file. Its size as the first line, then its bytes; 44 where there is none. */
export const readScript = `[ -e "$1" ] || exit 44
[ -f "$1" ] || { echo "not a regular file" >&2; exit 45; }
exec <"$1" || exit 45
wc -c <"$1" || exit 45
exec cat
`;

/** Arguments: folder, file, mode. Writes its input. */
export const writeScript = `umask 077
mkdir -p -- "$1" || exit 45
cat >"$2" || exit 45
chmod "$3" -- "$2" || exit 45
`;

/** Argument: file. */
export const removeScript = `[ -e "$1" ] || [ -L "$1" ] || exit 44
rm -f -- "$1" || exit 45
`;

/** Argument: file. Its lines from now on, until the input ends: the other side went away. */
export const tailScript = `[ -e "$1" ] || exit 44
[ -r "$1" ] || { echo "permission denied" >&2; exit 45; }
tail -n 0 -F -- "$1" 2>/dev/null &
cat >/dev/null
kill "$!"
`;

// Below it each spawned process has a folder, for its owner alone.
const findFolder = `mask=$(umask)
umask 077
d=\${TMPDIR:-/tmp}/headroom-processes-$(id -u)
if [ -e "$d" ] || [ -L "$d" ]; then
  [ -d "$d" ] && [ ! -L "$d" ] && [ -O "$d" ] || { echo "$d belongs to somebody else" >&2; exit 45; }
fi
`;

const needsPerl = `command -v perl >/dev/null 2>&1 || exit 46
`;

/**
 * Arguments: id, folder or nothing, seconds or 0, whether it gets input (1 or 0), command. Prints the
 * pid. The process outlives the call: a keeper in a session of its own waits for it and writes how it
 * ended. What ended a day ago is removed.
 */
export const spawnScript = `${needsPerl}${findFolder}mkdir -p "$d/$1" || exit 45
find "$d" -name end -mtime +0 -exec sh -c 'rm -rf "\${1%/end}"' sh {} \\; 2>/dev/null
set -- "$(command -v perl)" -e '
  use strict;
  use POSIX ();
  my ($mask, $dir, $id, $cwd, $seconds, $hasInput, @command) = @ARGV;
  $dir = "$dir/$id";
  my $put = sub {
    my ($name, $text) = @_;
    open my $out, ">", "$dir/$name.part" or return;
    print $out $text;
    close $out and rename "$dir/$name.part", "$dir/$name";
  };
  $put->("command", join "\\0", @command);
  if ($hasInput) { POSIX::mkfifo("$dir/stdin", 0600) or die "mkfifo: $!\\n" }
  pipe my $read, my $write or die "pipe: $!\\n";
  my $keeper = fork;
  die "fork: $!\\n" unless defined $keeper;
  if ($keeper) {
    close $write;
    my @told = <$read>;
    if (@told == 1 and $told[0] =~ /^\\d+$/) { print @told; exit 0 }
    waitpid $keeper, 0;
    print STDERR $told[-1] // "fork failed";
    unlink map { "$dir/$_" } "command", "stdin", "pid", "stdout", "stderr", "end";
    rmdir $dir;
    exit 45;
  }
  close $read;
  POSIX::setsid();
  open STDIN, "<", "/dev/null";
  open STDOUT, ">", "/dev/null";
  open STDERR, ">", "/dev/null";
  my $held;
  if ($hasInput) { open $held, "+<", "$dir/stdin" }
  my $pid = fork;
  POSIX::_exit(1) unless defined $pid;
  if (!$pid) {
    POSIX::setsid();
    $put->("pid", "$$ " . getppid());
    syswrite $write, "$$\\n";
    if ($hasInput) { open STDIN, "<", "$dir/stdin"; close $held }
    open STDOUT, ">>", "$dir/stdout";
    open STDERR, ">>", "$dir/stderr";
    umask oct $mask;
    if ($cwd eq "" or chdir $cwd) { exec { $command[0] } @command }
    else { $command[0] = "chdir $cwd" }
    syswrite $write, "$command[0]: $!\\n";
    POSIX::_exit(127);
  }
  close $write;
  $SIG{HUP} = "IGNORE";
  $SIG{USR1} = sub { close $held if $held };
  $SIG{ALRM} = sub { kill "KILL", -$pid };
  alarm $seconds if $seconds;
  1 while waitpid($pid, 0) != $pid and $!{EINTR};
  my $end = $?;
  $put->("end", ($end >> 8) . " " . ($end & 127));
' "$mask" "$d" "$@"
variables
exec "$@"
`;

const findProcess = `${findFolder}p=$d/$1
[ -f "$p/pid" ] || exit 44
read -r pid keeper <"$p/pid"
`;

/** Argument: id. `running`, `ended CODE SIGNAL`, or `lost` when nobody saw the end. */
export const statusScript = `${findProcess}if [ -f "$p/end" ]; then echo "ended $(cat "$p/end")"
elif kill -0 "$keeper" 2>/dev/null; then echo running
else echo lost
fi
`;

/** Arguments: id of a process that was spawned, or pid; name of the signal. An id means its group. */
export const killScript = `case $1 in
  *[!0-9]*) ;;
  *) kill "-$2" "$1" || exit 45
    exit 0 ;;
esac
${findProcess}[ -f "$p/end" ] && { echo "it has ended" >&2; exit 45; }
kill "-$2" "-$pid" || exit 45
`;

/** Argument: id. What it wrote and writes, on the same outputs, to its end or that of the input. */
export const followScript = `${findProcess}exec perl -e '
  my ($dir, $keeper) = @ARGV;
  my @in = map { open my $in, "<", "$dir/$_" or exit 44; $in } "stdout", "stderr";
  my @out = (*STDOUT, *STDERR);
  for (;;) {
    my $isOver = (-e "$dir/end" or !kill 0, $keeper);
    my $count = 0;
    for my $at (0, 1) {
      while (my $length = sysread $in[$at], my $piece, 65536) {
        $count += $length;
        for (my $from = 0; $from < $length;) {
          my $written = syswrite $out[$at], $piece, $length - $from, $from;
          exit 0 unless defined $written;
          $from += $written;
        }
      }
    }
    next if $count;
    exit 0 if $isOver;
    my $ready = "";
    vec($ready, 0, 1) = 1;
    exit 0 if select($ready, undef, undef, 0.1) and !sysread STDIN, my $rest, 4096;
  }
' "$p" "$keeper"
`;

/** Argument: id. Hands its input on, and tells the process where that ends. */
export const inputScript = `${findProcess}[ -p "$p/stdin" ] || exit 48
[ -f "$p/end" ] && { echo "it has ended" >&2; exit 45; }
cat >"$p/stdin" || exit 45
kill -USR1 "$keeper" 2>/dev/null || :
`;

/**
 * All processes as `ps` lists them, a line `spawned`, then those that were: id, pid, where it is known
 * code and signal of the end, a colon, and the command in hexadecimal digits.
 */
export const listScript = `${findFolder}ps -ww -e -o ${psColumns} || exit 45
echo spawned
for p in "$d"/*; do
  [ -f "$p/pid" ] || continue
  read -r pid keeper <"$p/pid"
  echo "\${p##*/} $pid $(cat "$p/end" 2>/dev/null): $(od -An -v -tx1 "$p/command" | tr -d ' \\n')"
done
`;
