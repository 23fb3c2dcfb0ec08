#!/bin/sh
# Makes NAME.expected (and NAME.stderr where asked for) of the given scripts with python3, which must be a 3.11.
# usage: tests/scripts/update.sh NAME.py...
set -eu
cd "$(dirname "$0")"
python3 -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { echo "python3 is no 3.11" >&2; exit 1; }
for script in "$@"; do
  name=$(basename "$script" .py)
  args=$(sed -n 's/^# args: *//p' "$name.py" | head -1)
  # shellcheck disable=SC2086
  python3 "$name.py" $args >"$name.expected" 2>"$name.stderr" </dev/null || true
  if grep -q '^# stderr$' "$name.py"; then
    sed -i "s|$(pwd -P)/||g" "$name.stderr"
  else
    [ -s "$name.stderr" ] && { echo "$name: on standard error:" >&2; cat "$name.stderr" >&2; }
    rm -f "$name.stderr"
  fi
done
