#!/bin/sh
# The kernel under -Werror, sanitizers, Valgrind and a short fuzz run: every run_*.sh beside this file.
set -eu
for run in "$(dirname "$0")"/run_*.sh; do
    echo "$run"
    sh "$run"
done
