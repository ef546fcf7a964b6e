#!/bin/sh
# The tray half of the kernel under every sanitizer: sh tests/kernel/run_tray.sh [ROUNDS] [FUZZ_SECONDS]
# Needs gcc and clang; Valgrind runs too where it is installed.
set -eu
cd "$(dirname "$0")/../.."
rounds=${1:-3000}
seconds=${2:-20}
kernel=levelgen/solve/kernel
sources="tests/kernel/fuzz_tray.c $kernel/triples.c $kernel/side.c $kernel/pool.c $kernel/deal.c $kernel/play.c \
    $kernel/perft.c $kernel/bots.c $kernel/bots_greedy.c $kernel/bots_think.c"
flags="-std=c11 -g -O1 -Wall -Wextra -Werror -I$kernel"
out=build/kernel-tests
mkdir -p "$out"
for compiler in gcc clang; do
    $compiler $flags -DSTANDALONE -fsanitize=address,undefined -fno-sanitize-recover=all $sources -o "$out/tray-$compiler"
    "$out/tray-$compiler" "$rounds"
done
if command -v valgrind >/dev/null; then
    gcc $flags -DSTANDALONE $sources -o "$out/tray-plain"
    valgrind --quiet --error-exitcode=9 --leak-check=full "$out/tray-plain" "$((rounds / 20))"
fi
clang $flags -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all $sources -o "$out/tray-fuzz"
"$out/tray-fuzz" -max_total_time="$seconds" -max_len=2000 -verbosity=0 -artifact_prefix="$out/"
echo "nothing found in $seconds s of fuzzing"
