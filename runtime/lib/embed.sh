#!/bin/sh
# Writes a C++ file with the text of the given Python files: embed.sh OUTPUT FILE...
#
# A module's name is its path below runtime/lib with dots; a package is named by its __init__.py.
set -eu
out=$1
shift
{
  echo '// Made by runtime/lib/embed.sh.'
  echo '#include "tidepool/runtime/lib/bundled.h"'
  echo 'namespace tidepool::rt {'
  echo 'const BundledModule kBundledModules[] = {'
  for file in "$@"; do
    name=${file##*runtime/lib/}
    name=${name%.py}
    name=${name%/__init__}
    name=$(printf '%s' "$name" | tr / .)
    if grep -q ')BUNDLE"' "$file"; then
      echo "$file contains the end mark of the embedding" >&2
      exit 1
    fi
    printf '{"%s", R"BUNDLE(' "$name"
    cat "$file"
    printf ')BUNDLE"},\n'
  done
  echo '};'
  echo 'const size_t kBundledModuleCount = sizeof kBundledModules / sizeof kBundledModules[0];'
  echo '}  // namespace tidepool::rt'
} > "$out"
