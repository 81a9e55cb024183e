#!/usr/bin/env bash
# Tests and times Terrazzo on this machine's GPU. Needs a driver, glibc 2.34,
# libstdc++ of GCC 12, zlib and zstd; parts that need more (python3 with torch and
# triton, compute-sanitizer) say so and are skipped.
#
#   ./run.sh [PART ...] [options] [-- options of the bench]
#
#   facts      the machine, the driver, the targets           (always)
#   unit       the device half against the real driver
#   launch     what a launch costs beside the driver's own
#   examples   every example's own command, compared with the interpreter
#   conform    the conformance suite
#   random     random kernels, compared with the interpreter
#   bench      beside Triton and the vendor's libraries (bench/gpu_bench.py)
#   sanitize   compute-sanitizer over the smoke level (--tool says which)
#
# No part named: unit launch examples conform bench.
#   --target T     nvidia, nvidia:1 ...                  (nvidia)
#   --jobs N       processes of conform and examples     (14)
#   --filter RE    only these conformance cases
#   --level L      smoke or full                         (full)
#   --count N      so many random kernels               (3000)
#   --seed N       the first of them                    (1)
#   --tool NAME    memcheck, racecheck, synccheck, initcheck (memcheck)
#   --out DIR      where results go                      ($OUT, else ./results)
# Results: results.txt, results.json, conform.json, random.txt, bench.md, bench.json,
# sanitize.txt. Exit status: 0 all parts passed or were skipped, 1 one failed.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tz=$here/bin/tz
target=nvidia jobs=14 level=full filter= count=3000 seed=1 tool=memcheck out=${OUT:-$PWD/results} parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --target) target=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    --filter) filter=$2; shift 2 ;;
    --level) level=$2; shift 2 ;;
    --count) count=$2; shift 2 ;;
    --seed) seed=$2; shift 2 ;;
    --tool) tool=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --) shift; break ;;
    unit|launch|examples|conform|random|bench|sanitize|facts) parts+=("$1"); shift ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0"; exit $([ "$1" = --help ] && echo 0 || echo 2) ;;
  esac
done
[ ${#parts[@]} -gt 0 ] || parts=(unit launch examples conform bench)
mkdir -p "$out" && out=$(cd "$out" && pwd)
: >"$out/results.txt"
export TERRAZZO_CACHE_DIR=${TERRAZZO_CACHE_DIR:-$(mktemp -d)}
exec > >(tee -a "$out/results.txt") 2>&1

records=()
# note PART passed|failed|skipped SECONDS TEXT
note() {
  printf '== %s: %s (%s s) %s\n' "$1" "$2" "$3" "$4"
  records+=("$(printf '{"part": "%s", "result": "%s", "seconds": %s, "text": "%s"}' \
    "$1" "$2" "$3" "$(printf %s "$4" | tr '\n\t' '  ' | sed 's/[\\"]/\\&/g')")")
}
judge() { if [ "$1" -eq 0 ]; then echo passed; else echo failed; fi; }

run_facts() {
  cat "$here/VERSION"
  date -u +%FT%RZ
  nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader 2>/dev/null
  "$tz" targets
  note facts "$(judge $?)" 0 "$(uname -r)"
}

run_unit() {
  local start=$SECONDS log
  log=$("$here/bin/test-nvidia-gpu" --gtest_brief=1 2>&1)
  local status=$?
  printf '%s\n' "$log" | tail -n 30
  note unit "$(judge $status)" $((SECONDS - start)) "$(printf '%s\n' "$log" | grep -E '^\[ +(PASSED|FAILED|SKIPPED) +\]' | tr '\n' ' ')"
}

run_launch() {
  local start=$SECONDS
  "$here/bin/nvidia-launch-bench"
  note launch "$(judge $?)" $((SECONDS - start)) ""
}

# The commands that the examples' own headers show, one a line.
example_commands() {
  awk '/^    tz run /{on=1; line=""}
       on{text=$0; sub(/^ +/, "", text); more=sub(/ *\\$/, "", text); line=line text " "
          if(!more){print line; on=0}}' "$here"/examples/*.py
}

run_examples() {
  local start=$SECONDS folder
  folder=$(mktemp -d)
  example_commands >"$folder/list"
  (cd "$here/examples" && awk -v tz="$tz" -v t="$target" -v d="$folder" \
    '{sub(/^tz run /, ""); printf "(%s run %s --target %s --compare interp) >%s/%d.log 2>&1; echo $? >%s/%d.status\n", tz, $0, t, d, NR, d, NR}' \
    "$folder/list" | tr '\n' '\0' | xargs -0 -P "$jobs" -I{} bash -c '{}')
  local count=0 bad=0 line
  while read -r line; do
    count=$((count + 1))
    if [ "$(cat "$folder/$count.status" 2>/dev/null)" != 0 ]; then
      bad=$((bad + 1))
      printf '%s\n' "$line" | cut -c1-160
      head -c 1500 "$folder/$count.log"
    fi
  done <"$folder/list"
  rm -rf "$folder"
  note examples "$(judge $((bad + (count == 0))))" $((SECONDS - start)) "$((count - bad)) of $count as the interpreter says"
}

run_conform() {
  local start=$SECONDS
  "$tz" conform --target "$target" --level "$level" -j "$jobs" --json "$out/conform.json" ${filter:+--filter "$filter"} >"$out/conform.txt" 2>&1
  local status=$?
  tail -n 40 "$out/conform.txt"
  note conform "$(judge $status)" $((SECONDS - start)) "$(tail -n 1 "$out/conform.txt")"
}

run_bench() {
  local start=$SECONDS
  if ! python3 -c 'import torch, triton' 2>/dev/null; then
    note bench skipped 0 "python3 with torch and triton is not there"
    return
  fi
  PYTHONUNBUFFERED=1 python3 "$here/bench/gpu_bench.py" --bundle "$here" --out "$out" "$@"
  note bench "$(judge $?)" $((SECONDS - start)) "bench.md, bench.json, a file of results for each table"
}

run_random() {
  local start=$SECONDS
  "$tz" conform --target "$target" --random "$count" --seed "$seed" -j "$jobs" >"$out/random.txt" 2>&1
  local status=$?
  grep -m 1 -A 40 '^failures:' "$out/random.txt"
  note random "$(judge $status)" $((SECONDS - start)) "$(grep -E '^(conforms|does not conform):' "$out/random.txt")"
}
run_sanitize() {
  local start=$SECONDS logs
  if ! command -v compute-sanitizer >/dev/null; then
    note sanitize skipped 0 "compute-sanitizer is not there"
    return
  fi
  logs=$(mktemp -d)
  # A write outside of its buffer, by a child's child, must be seen: else the
  # silence below says nothing.
  cat >"$logs/planted.py" <<'PLANTED'
import triton
import triton.language as tl


@triton.jit
def planted(x, n):
    tl.store(x + tl.arange(0, 128) * n, 1.0)
PLANTED
  compute-sanitizer --tool memcheck --target-processes all --report-api-errors no --log-file "$logs/planted" \
    bash -c "'$tz' run '$logs/planted.py::planted' --target '$target' --grid 1 --arg x=zeros:f32[128] --arg n=i32:100000; true" >/dev/null 2>&1
  if ! grep -q 'Invalid __global__ write' "$logs/planted"*; then
    note sanitize failed $((SECONDS - start)) "the sanitizer does not see a planted fault"
    return
  fi
  rm -f "$logs"/planted*
  compute-sanitizer --tool "$tool" --target-processes all --report-api-errors no --error-exitcode 86 \
    --log-file "$logs/%p.log" "$tz" conform --target "$target" --level smoke -j "$jobs" --timeout 300 \
    ${filter:+--filter "$filter"} >"$out/sanitize.txt" 2>&1
  local status=$? found
  tail -n 15 "$out/sanitize.txt"
  found=$(cat "$logs"/*.log 2>/dev/null | grep -c '^========= .*\(Invalid\|Error:\|Race reported\|Barrier error\|Uninitialized\)')
  cat "$logs"/*.log 2>/dev/null | grep -v 'ERROR SUMMARY: 0 errors\|COMPUTE-SANITIZER$\|^=========$' | head -n 400 >>"$out/sanitize.txt"
  grep -h 'ERROR SUMMARY\|RACECHECK SUMMARY' "$logs"/*.log | sort | uniq -c
  [ "$found" -eq 0 ] || status=1
  rm -rf "$logs"
  note sanitize "$(judge $status)" $((SECONDS - start)) "$tool: $found reports"
}

run_facts
for part in "${parts[@]}"; do
  case $part in
    facts) ;;
    bench) run_bench "$@" ;;
    *) "run_$part" ;;
  esac
done
(IFS=$'\n'; printf '[\n%s\n]\n' "$(printf '%s,\n' "${records[@]}" | sed '$s/,$//')") >"$out/results.json"
case "${records[*]}" in *'"result": "failed"'*) exit 1 ;; esac
