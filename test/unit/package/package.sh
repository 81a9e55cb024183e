#!/bin/sh
# package.sh <source> <build> <cc> <cxx>: installs runtime, headers and CMake
# package to a fresh prefix; builds a copy of plugins/null and a C program as
# projects of their own against it; the program and the installed tz must list
# and use that plugin.
set -eu
source=$1 build=$2 cc=$3 cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for component in runtime compiler development; do
  cmake --install "$build" --prefix "$work/prefix" --component $component >/dev/null
done

cp -r "$source/plugins/null" "$work/null"
cp -r "$source/test/unit/package/host" "$work/host"
for project in null host; do
  cmake -S "$work/$project" -B "$work/$project/build" -G Ninja \
    -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release >"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
  cmake --build "$work/$project/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
done

echo "exported symbols of the out-of-tree plugin:"
for half in compiler device; do
  symbols=$(nm -D --defined-only "$work/null/build/lib/terrazzo/plugins.d/libtz_null_$half.so" | awk '$2 != "A" {print $3}')
  echo "  $symbols"
  case $symbols in tz_plugin_query_v0*) ;; *) exit 1 ;; esac
  [ "$(echo "$symbols" | wc -l)" -eq 1 ]
done

export TERRAZZO_PLUGIN_PATH="$work/null/build/lib/terrazzo/plugins.d" TERRAZZO_CACHE_DIR=off
"$work/host/build/host" | tee "$work/out"
grep -q "^null 0.1.0 $work/null/build/lib/terrazzo/plugins.d/null.json state=0" "$work/out"
grep -q "^moved abc" "$work/out"

listed() { # exactly this, from the installed tz
  TERRAZZO_TARGET=null "$work/prefix/bin/tz" targets >"$work/out"
  diff - "$work/out" <<'END'
null 0.1.0 (Terrazzo)
    null:0  null device (runs nothing), 1 compute units, compiles for null:any
interp (reference)
    runs tile IR exactly and slowly, checks bounds and uninitialised reads
TERRAZZO_TARGET=null chooses null
END
}
listed
"$work/prefix/bin/tz" targets -v | grep -q "usable *null  $work/null/build/lib/terrazzo/plugins.d/null.json (TERRAZZO_PLUGIN_PATH)"
"$work/prefix/bin/tz" compile "$source/docs/examples/vector_add.py::add_kernel" --check --target null \
  --sig "*fp32:16,*fp32:16,*fp32:16,i32" --constexpr BLOCK=64 | grep -q "supported on null:any"

# Installed as an ordinary user would install it: found beside the library.
unset TERRAZZO_PLUGIN_PATH
cmake --install "$work/null/build" --prefix "$work/prefix" >/dev/null
"$work/host/build/host" | grep -q "^null 0.1.0 $work/prefix/.*/terrazzo/plugins.d/null.json state=0"
listed
echo "package ok"
