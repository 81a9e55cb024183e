#!/bin/sh
# tutorials.sh <source> <build> <cc> <cxx> [page ...]: does what the pages say that
# make targets, as a stranger who has what is installed, Debian, and a checkout for
# its examples. Without pages: those that take seconds. All below
# <build>/tutorials-test.
set -eu
source=$1 build=$2 cc=$3 cxx=$4
shift 4
pages=${*:-target-in-an-hour writing-a-plugin}
work=$build/tutorials-test prefix=$build/tutorials-test/prefix
rm -rf "$work"
mkdir -p "$work/home"
ln -s "$prefix" "$work/home/terrazzo"
fail() { echo "tutorials.sh: $*" >&2; exit 1; }

# What the build folder's owner installed stays known to `uninstall`, and what
# package.sh installs at the same time, too.
for component in runtime compiler development sdk; do
  manifest=$build/install_manifest_$component.txt
  flock "$build/install.lock" sh -eu -c '
    if [ -e "$1" ]; then cp "$1" "$2"; fi
    cmake --install "$3" --prefix "$4" --component "$5" >"$2.log" 2>&1 || { cat "$2.log"; exit 1; }
    rm -f "$1"
    if [ -e "$2" ]; then mv "$2" "$1"; fi' sh "$manifest" "$work/$component" "$build" "$prefix" "$component"
done

launcher=$(command -v ccache || true)
export CCACHE_DIR="${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ccache}"
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
export TERRAZZO_CACHE_DIR=off SOURCE="$source" HOME="$work/home" CC="$cc" CXX="$cxx" PATH="$prefix/bin:$PATH"
export CMAKE_C_COMPILER_LAUNCHER="$launcher" CMAKE_CXX_COMPILER_LAUNCHER="$launcher" CMAKE_EXPORT_COMPILE_COMMANDS=ON
unset TERRAZZO_PLUGIN_PATH TERRAZZO_PLUGIN_FILES TERRAZZO_TARGET
for page in $pages; do
  python3 "$source/test/docs/tutorial.py" "$source/docs/guide/$page.md" "$work/$page" || fail "docs/guide/$page.md does not work"
done
# Folders of headers: below this one, or the system's.
cat "$work"/*/build/compile_commands.json | grep -oE -e '-(I|isystem) ?[^ "]+' | sed 's/^-\(I\|isystem\) *//' | sort -u >"$work/folders"
grep -q "^$work/\(prefix\|home/terrazzo\)/include" "$work/folders" || fail "no target was built with the headers of $prefix"
if grep "^$source" "$work/folders" | grep -v "^$work/"; then fail "a target was built with headers that are not installed"; fi
echo "tutorials ok"
