# shellcheck shell=bash
# A lock for systems with and without flock. Neither kind outlives its owner: the kernel releases a
# flock, and a link to a dead process id is replaced.

lock_file=

# lock FILE: waits until it has the lock.
lock() {
  if have flock; then
    exec 9>"$1"
    flock -n 9 && return
    say "waiting for another process that has the lock $1"
    run_child flock 9
  else
    until ln -s "$$" "$1.pid" 2>/dev/null; do
      kill -0 "$(readlink "$1.pid")" 2>/dev/null || rm -f "$1.pid"
      sleep 1
    done
    lock_file=$1.pid
  fi
}

unlock() {
  exec 9>&-
  [[ -z $lock_file ]] || rm -f "$lock_file"
  lock_file=
}
