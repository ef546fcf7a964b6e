#!/bin/sh
# The pairs half of the kernel under every sanitizer: sh tests/kernel/run_pairs.sh [ROUNDS] [FUZZ_SECONDS]
# Needs gcc and clang; Valgrind runs too where it is installed.
set -eu
cd "$(dirname "$0")/../.."
rounds=${1:-1000}
seconds=${2:-20}
kernel=levelgen/solve/kernel
sources="tests/kernel/fuzz_pairs.c $kernel/pairs.c $kernel/pairs_board.c $kernel/pairs_closure.c $kernel/pairs_learn.c \
    $kernel/pairs_local.c $kernel/pairs_proof.c $kernel/guess.c $kernel/side.c"
flags="-std=c11 -g -O1 -Wall -Wextra -Werror -I$kernel"
out=build/kernel-tests
mkdir -p "$out"
for compiler in gcc clang; do
    $compiler $flags -DSTANDALONE -fsanitize=address,undefined -fno-sanitize-recover=all $sources -o "$out/pairs-$compiler"
    "$out/pairs-$compiler" "$rounds"
done
if command -v valgrind >/dev/null; then
    gcc $flags -DSTANDALONE $sources -o "$out/pairs-plain"
    valgrind --quiet --error-exitcode=9 --leak-check=full "$out/pairs-plain" "$((rounds / 20))"
fi
clang $flags -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all $sources -o "$out/pairs-fuzz"
"$out/pairs-fuzz" -max_total_time="$seconds" -max_len=600 -verbosity=0 -artifact_prefix="$out/"
echo "nothing found in $seconds s of fuzzing"
