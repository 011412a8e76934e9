# Read by each test's shell: a memory cgroup, and how a command is run in one, or as nobody.
groups=/sys/fs/cgroup
pass_on() { echo "+memory +cpu +io" >"$1/cgroup.subtree_control"; }
# Ends its shell: call it in ( ) or with &, of which $! is the command then.
in_group() { group=$1; shift; exec sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$groups/$group" "$@"; }
# Likewise.
as_nobody() { exec su -s /bin/sh nobody -c "exec $*"; }
# until_samples FILE N: a recording has so many. Fails when that takes more than some minutes.
until_samples() {
  tries=0
  until node /guest/sample-count.cjs "$1" "$2"; do
    tries=$((tries + 1)); [ $tries -lt 20 ] || return 1
    sleep 1
  done
}
# collector FOLDER: the collector as attach puts it into a session, which goes on with the recording there.
collector() {
  mkdir -p "$1"; cp /headroom/dist/cli/attach/collector-main.cjs "$1/collector.cjs"
  [ -e "$1/node_modules" ] || ln -s /headroom/node_modules "$1/node_modules"
  echo '{"sessionId":"5b0e4c5e-7d43-4cf3-9d7e-0f4f5c3f2a11","source":"vm","intervalMs":1000,"labels":{},"nodePath":"node"}' >"$1/request.json"
  node "$1/collector.cjs" record >"$1/log" 2>&1 &
}
