# Sourced by the tools: finds the tree's root and installs what is missing.
#
# need_packages SET installs the packages of that set (build, test, full, arm64, times,
# heap, install) with apt-get on Debian 12, without a question, and only if one of them is
# missing.
# On another system it says what to install and ends with status 3.

TIDEPOOL_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
TIDEPOOL_CACHE=$TIDEPOOL_ROOT/.cache

say() { printf '%s\n' "tidepool: $*" >&2; }
die() { local status=$1; shift; say "$*"; exit "$status"; }

packages_build="g++ bazel-bootstrap libabsl-dev libgtest-dev libgmock-dev
  libbenchmark-dev pkg-config python3 libedit2"
packages_test="$packages_build liblua5.4-dev sqlite3 perl valgrind heaptrack redis-server
  redis-tools memcached libmemcached-tools"
packages_full="$packages_test clang libclang-rt-14-dev spin git make cmake
  libpython3.11-testsuite"
packages_heap="g++ make cmake"
packages_install="$packages_heap libabsl-dev pkg-config"
packages_arm64="$packages_build g++-aarch64-linux-gnu qemu-user libabsl-dev:arm64
  libgtest-dev:arm64 libgmock-dev:arm64"
packages_times="$packages_test time libmimalloc2.0 libjemalloc2 libtcmalloc-minimal4
  liburcu-dev redis-server redis-tools"

_missing_packages() {
  local p own here
  here=$(dpkg --print-architecture)
  for p in $1; do
    # A package may be there for another architecture too, or only.
    own=$here
    [[ $p == *:* ]] && own=${p#*:}
    dpkg-query -W -f='${Architecture} ${db:Status-Status}\n' "$p" 2>/dev/null |
      grep -qxE "($own|all) installed" || printf '%s ' "$p"
  done
}

need_packages() {
  local set_name=packages_$1 wanted missing as_root=()
  wanted=${!set_name}
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    local tool
    for tool in bazel g++ pkg-config python3; do
      command -v "$tool" >/dev/null && continue
      die 3 "this is not a Debian system and $tool is missing. Install a C++20" \
        "compiler (g++ 12 or clang 14), Bazel 4.2 or later, pkg-config, python3," \
        "abseil (2022-06 or later), googletest and Google Benchmark."
    done
    return 0
  fi
  missing=$(_missing_packages "$wanted")
  [[ -z $missing ]] && return 0
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null || die 3 "run as root: apt-get install $missing"
    as_root=(sudo)
  fi
  say "installing with apt-get: $missing"
  if [[ $missing == *:arm64* ]]; then "${as_root[@]}" dpkg --add-architecture arm64; fi
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update &&
         "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
           --no-install-recommends install $missing; } >"$log" 2>&1 </dev/null; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    die 3 "apt-get could not install: $missing (tidepool is built on Debian 12)"
  fi
  rm -f "$log"
}

# run_bazel COMMAND ARGS...: Bazel in the tree, also where HOME or USER is unset, with
# TIDEPOOL_BAZEL_STARTUP's options before the command and TIDEPOOL_BAZEL_FLAGS' behind it.
run_bazel() {
  export HOME=${HOME:-/root} USER=${USER:-$(id -un)}
  local command=$1
  shift
  (cd "$TIDEPOOL_ROOT" &&
    bazel ${TIDEPOOL_BAZEL_STARTUP:-} "$command" ${TIDEPOOL_BAZEL_FLAGS:-} "$@")
}
