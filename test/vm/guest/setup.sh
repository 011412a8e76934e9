# Read by each test's shell: a memory cgroup, and how a command is run in one.
groups=/sys/fs/cgroup
pass_on() { echo "+memory +cpu +io" >"$1/cgroup.subtree_control"; }
# Ends its shell: call it in ( ) or with &, of which $! is the command then.
in_group() { group=$1; shift; exec sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$groups/$group" "$@"; }
# until_samples FILE N: a recording has so many. Fails when that takes more than some minutes.
until_samples() {
  tries=0
  until node /guest/sample-count.cjs "$1" "$2"; do
    tries=$((tries + 1)); [ $tries -lt 20 ] || return 1
    sleep 1
  done
}
