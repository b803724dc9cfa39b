#!/bin/sh
# Runs each fuzzer for SECONDS, JOBS of them at once (default: as many as there are processors):
# tools/fuzz.sh SECONDS [TARGET…]
# New inputs they find are kept in build/fuzz/corpus/, inputs that make one fail in build/fuzz/findings/.
set -eu
cd "$(dirname "$0")/.."
seconds=$1
shift
[ $# -gt 0 ] || set -- $(ls fuzz/corpus)
program=build/fuzz/fuzz/sotto_fuzz

# Their files live in memory where the system supports it.
[ -w /dev/shm ] && export TMPDIR=/dev/shm
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
[ -x /usr/bin/llvm-symbolizer-14 ] && export ASAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-14

dictionary() {
  case $1 in
    records|formats|table|corpus) echo records ;;
    text|document|wordnet|vectors|unknown_words) echo text ;;
    run_file|data_catalog|config) echo yaml ;;
    *) echo json ;;
  esac
}

if [ $# -gt 1 ]; then
  printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -n 1 "tools/$(basename "$0")" "$seconds" && exit
  echo "Failed (build/fuzz/TARGET.log, build/fuzz/findings/TARGET/)"
  exit 1
fi

target=$1 found=build/fuzz/corpus/$1 findings=build/fuzz/findings/$1 log=build/fuzz/$1.log
mkdir -p "$found" "$findings"
status=0
$program "$target" "$found" "fuzz/corpus/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
  -dict="fuzz/dictionaries/$(dictionary "$target").dict" -artifact_prefix="$findings/" -print_final_stats=1 \
  >"$log" 2>&1 || status=1
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
echo "$target: ${runs:-0} inputs, $([ $status -eq 0 ] && echo "none failed" || echo "FAILED")"
[ $status -eq 0 ] || grep -m 3 -E 'ERROR|runtime error|broken property|SUMMARY' "$log" || :
exit $status
