#!/bin/sh
# package.sh <source> <build> <cc> <cxx>: uses Terrazzo as strangers do. Installs
# sets of components to prefixes of their own and builds small projects against
# them, with CMake and pkg-config; holds the source inside another project;
# uninstalls. All below <build>/package-test, so that a compiler cache helps.
set -eu
source=$1 build=$2 cc=$3 cxx=$4
work=$build/package-test
rm -rf "$work"
mkdir -p "$work/manifests"
# Installations of the build folder's owner stay known to `uninstall`.
mv "$build"/install_manifest*.txt "$work/manifests/" 2>/dev/null || true
restore() {
  rm -f "$build"/install_manifest*.txt
  mv "$work"/manifests/*.txt "$build/" 2>/dev/null || true
}
trap restore EXIT
trap 'exit 1' INT TERM
export TERRAZZO_CACHE_DIR=off
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
launcher=$(command -v ccache || true)

fail() { echo "package.sh: $*" >&2; exit 1; }
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "failed: $*"; }; }
installed() { # prefix component ...
  prefix=$1 && shift
  for component; do
    quietly flock "$build/install.lock" cmake --install "$build" --prefix "$prefix" --component "$component"
  done
}
configure() { # project build options ...
  project=$1 folder=$2 && shift 2
  cmake -S "$project" -B "$folder" -G Ninja -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
    -DCMAKE_C_COMPILER_LAUNCHER="$launcher" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" \
    -DCMAKE_BUILD_TYPE=Release "$@"
}
built() { # project build options ...
  folder=$2
  quietly configure "$@"
  quietly cmake --build "$folder"
}
refused() { # words that must be said, then as configure
  words=$1 && shift
  if configure "$@" >"$work/log" 2>&1; then fail "configured, though: $words"; fi
  # CMake breaks long lines.
  tr -s '\n ' '  ' <"$work/log" | grep -q "$words" || { cat "$work/log"; fail "not said: $words"; }
}
here=$source/test/unit/package

# The headers alone: enough for a plugin. A copy, as docs/guide/writing-a-plugin.md has it.
installed "$work/headers" development
cp -r "$source/plugins/null" "$work/null"
built "$work/null" "$work/null/build" -DCMAKE_PREFIX_PATH="$work/headers"
for half in compiler device; do
  symbols=$(nm -D --defined-only "$work/null/build/lib/terrazzo/plugins.d/libtz_null_$half.so" | awk '$2 != "A" {print $3}')
  [ "$(echo "$symbols" | sed 's/_v[0-9].*//')" = tz_plugin_query ] || fail "libtz_null_$half.so exports $symbols"
done
refused "component runtime is not installed below $work/headers; install it with cmake --install" \
  "$here/host" "$work/refused" -DCMAKE_PREFIX_PATH="$work/headers"

# Without the compiler.
installed "$work/runtime" runtime development
[ ! -e "$work/runtime/lib/libterrazzo.so.0" ] || fail "the component runtime holds the compiler"
built "$here/host" "$work/host" -DCMAKE_PREFIX_PATH="$work/runtime"
refused "component compiler is not installed below" "$here/host" "$work/refused" \
  -DCMAKE_PREFIX_PATH="$work/runtime" -DHOST_COMPONENTS=compiler
refused "component nonsense does not exist; there are headers, runtime, compiler, sdk" "$here/host" "$work/refused" \
  -DCMAKE_PREFIX_PATH="$work/runtime" -DHOST_COMPONENTS=nonsense
refused "component plugin-null is not installed below" "$here/host" "$work/refused" \
  -DCMAKE_PREFIX_PATH="$work/runtime" '-DHOST_COMPONENTS=runtime;plugin-null'

export TERRAZZO_PLUGIN_PATH="$work/null/build/lib/terrazzo/plugins.d"
"$work/host/host" >"$work/out"
grep -q "^null 0.1.0 $work/null/build/lib/terrazzo/plugins.d/null.json state=0" "$work/out" || fail "the plugin was not found"
grep -q "^moved abc" "$work/out" || fail "the program did not run"

# The compiler, with the plugin of a stranger.
installed "$work/prefix" compiler

# A kernel in the portable form, read by C programs that have one header of ours.
"$work/prefix/bin/tz" compile "$source/docs/examples/vector_add.py::add_kernel" --emit portable \
  --sig "*fp32,*fp32,*fp32,i32" --constexpr BLOCK=1024 -o "$work/add.tzir"
for program in print_kernel run_vector_add; do
  quietly "$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$work/headers/include" \
    "$source/docs/examples/portable/$program.c" -o "$work/$program"
done
"$work/print_kernel" "$work/add.tzir" >"$work/out"
grep -q "arith.addf %[0-9]*, %[0-9]* : tensor<1024xf32>  // .*vector_add.py:20:31" "$work/out" || fail "print_kernel printed another kernel"
[ "$("$work/run_vector_add" "$work/add.tzir" 100003)" = "100003 sums, 0 wrong" ] || fail "run_vector_add: wrong sums"
head -c 300 "$work/add.tzir" >"$work/cut.tzir"
if "$work/print_kernel" "$work/cut.tzir" 2>"$work/out"; then fail "a cut file was printed"; fi
grep -q "portable file: 300 bytes, its header says [0-9]*; it is truncated" "$work/out" || fail "a cut file is not called so"
sed 's/a + b/a * b/' "$source/docs/examples/vector_add.py" >"$work/product.py"
"$work/prefix/bin/tz" compile "$work/product.py::add_kernel" --emit portable \
  --sig "*fp32,*fp32,*fp32,i32" --constexpr BLOCK=1024 -o "$work/product.tzir"
if "$work/run_vector_add" "$work/product.tzir" 10 2>"$work/out"; then fail "run_vector_add ran another kernel"; fi
grep -q "product.py:[0-9:]* arith.mulf: this example has no such op" "$work/out" || fail "another kernel is not refused"
listed() { # exactly this, from the installed tz
  TERRAZZO_TARGET=null "$work/prefix/bin/tz" targets >"$work/out"
  diff - "$work/out" <<'END'
null 0.1.0 (Terrazzo)
    null:0  null device (runs nothing), 1 compute units, compiles for null:any
interp (reference)
    runs tile IR exactly and slowly, checks bounds and uninitialised reads
TERRAZZO_TARGET=null chooses null:any
END
}
listed
"$work/prefix/bin/tz" targets -v | grep -q "usable *null  $work/null/build/lib/terrazzo/plugins.d/null.json (TERRAZZO_PLUGIN_PATH)"
"$work/prefix/bin/tz" compile "$source/docs/examples/vector_add.py::add_kernel" --check --target null \
  --sig "*fp32:16,*fp32:16,*fp32:16,i32" --constexpr BLOCK=64 | grep -q "supported on null:any"

for page in man/man1/tz.1 bash-completion/completions/tz zsh/site-functions/_tz fish/vendor_completions.d/tz.fish; do
  [ -s "$work/prefix/share/$page" ] || fail "share/$page is not installed"
done

# Installed as an ordinary user would install it: found beside the library.
unset TERRAZZO_PLUGIN_PATH
installed "$work/prefix" development runtime sdk
quietly cmake --install "$work/null/build" --prefix "$work/prefix"
listed
built "$here/host" "$work/host-all" -DCMAKE_PREFIX_PATH="$work/prefix" '-DHOST_COMPONENTS=runtime;compiler;plugin-null'
"$work/host-all/host" >"$work/out"
grep -q "^null 0.1.0 $work/prefix/.*/terrazzo/plugins.d/null.json state=0" "$work/out" || fail "the installed plugin was not found"
for component in runtime compiler development sdk; do
  [ -s "$work/prefix/share/doc/Terrazzo/LICENSE" ] || fail "no licence is installed"
done

# pkg-config, after the installation was moved.
if command -v pkg-config >/dev/null; then
  mv "$work/prefix" "$work/moved"
  for package in terrazzo terrazzo-runtime; do
    flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name $package.pc)") pkg-config --cflags --libs $package)
    "$cc" "$here/host/host.c" -o "$work/host-$package" $flags \
      -Wl,-rpath,"$(dirname "$(find "$work/moved" -name libterrazzo.so)")"
    "$work/host-$package" | grep -q "^moved abc" || fail "the program of $package did not run"
  done
  mv "$work/moved" "$work/prefix"
else
  echo "package.sh: no pkg-config here: its files were not tried"
fi

# The SDK: LLVM, the headers and the static libraries are whole.
built "$here/sdk" "$work/sdk" -DCMAKE_PREFIX_PATH="$work/prefix"
"$work/sdk/read-kernel" "$source/test/wire/golden/program.tzir" | grep -q "^kernel " || fail "the SDK read no kernel"
if "$work/sdk/read-kernel" "$here/package.sh" >"$work/out"; then fail "the SDK read a kernel in a script"; fi
grep -q "^failure .*" "$work/out"

# A stranger's plugin, which runs nothing, compiles the smoke level of the suite.
"$work/prefix/bin/tz" conform --target null --level smoke --compile-only >"$work/out" || { tail -20 "$work/out"; fail "null does not compile the suite"; }
grep -q "^conforms: .* 0 failed, 0 known failures" "$work/out" || fail "null: $(tail -1 "$work/out")"

# An SDK of another version, a plugin that needs a newer minor, another LLVM.
sed -i "s/find_package(Terrazzo [0-9.]*/find_package(Terrazzo 0.9/" "$work/null/CMakeLists.txt"
refused 'compatible with requested version "0.9"' "$work/null" "$work/refused-null" -DCMAKE_PREFIX_PATH="$work/prefix"
sed -i "s/find_package(Terrazzo [0-9.]*/find_package(Terrazzo 0.1/; s/MAP plugin.map/MAP plugin.map NEEDS_MINOR 9/" "$work/null/CMakeLists.txt"
refused "plugin null needs ABI 0.9; the headers of Terrazzo in .* are of ABI 0" "$work/null" "$work/refused-null" -DCMAKE_PREFIX_PATH="$work/prefix"
config=$work/prefix/lib/cmake/Terrazzo/TerrazzoConfig.cmake
sed -i 's/_terrazzo_llvm "[0-9.]*"/_terrazzo_llvm "22.0.7"/' "$config"
refused "the SDK of Terrazzo was built with LLVM 22.0.7, and .* has 22" "$here/sdk" "$work/refused-sdk" -DCMAKE_PREFIX_PATH="$work/prefix"

# What is linked brings no debug information of its own; valgrind ends on such.
if ! grep -q "^CMAKE_CXX_FLAGS:.* -g[1-3]\?\( \|$\)" "$build/CMakeCache.txt"; then
  for library in "$work/prefix"/lib/*.so.*.* "$build"/lib/terrazzo/plugins.d/*.so "$work/prefix/bin/tz"; do
    if readelf -SW "$library" | grep -q '\.debug_'; then fail "$library has debug information"; fi
  done
  if command -v valgrind >/dev/null; then
    TERRAZZO_PLUGIN_PATH="$build/lib/terrazzo/plugins.d" quietly valgrind --error-exitcode=0 "$work/host-all/host"
    grep -q "^moved abc" "$work/log" || { cat "$work/log"; fail "valgrind ended the program"; }
  fi
fi

# Uninstalled: nothing of ours is left, and what others put there stays.
echo theirs >"$work/prefix/bin/theirs"
mkdir "$work/uninstall"
for manifest in "$build"/install_manifest*.txt; do
  grep "^$work/prefix/" "$manifest" >"$work/uninstall/$(basename "$manifest")" || true
done
cp "$work/null/build/install_manifest.txt" "$work/uninstall/install_manifest_null.txt"
quietly cmake -DBUILD="$work/uninstall" -P "$source/ci/cmake/Uninstall.cmake"
[ "$(find "$work/prefix" ! -type d)" = "$work/prefix/bin/theirs" ] || fail "left behind: $(find "$work/prefix" ! -type d)"
if find "$work/prefix" -iname '*terrazzo*' | grep .; then fail "left empty folders"; fi
if cmake -DBUILD="$work/uninstall" -P "$source/ci/cmake/Uninstall.cmake" >"$work/log" 2>&1; then fail "uninstalled twice"; fi
grep -q "nothing was installed from it" "$work/log" || fail "not said: nothing was installed"

# Inside another project: fetched, the runtime alone, without LLVM; and whole.
# That it builds and runs is the question here, not how fast.
quietly configure "$here/embedded" "$work/fetch" -DHOW=fetch -DTERRAZZO_FOLDER="$source" -DTERRAZZO_BUILD_COMPILER=OFF \
  -DMLIR_DIR=/nowhere -DLLVM_DIR=/nowhere -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
quietly cmake --build "$work/fetch" --target program
TERRAZZO_PLUGIN_PATH="$work/null/build/lib/terrazzo/plugins.d" "$work/fetch/program" | grep -q "^moved abc" ||
  fail "the program with a fetched Terrazzo did not run"
quietly cmake --install "$work/fetch" --prefix "$work/fetched"
[ "$(cd "$work/fetched" && find . ! -type d)" = ./bin/program ] || fail "the other project's installation holds ours"
quietly configure "$here/embedded" "$work/whole" -DTERRAZZO_FOLDER="$source"
quietly cmake --build "$work/whole" --target TerrazzoIRIncGen
ninja -C "$work/whole" -t commands program >"$work/log"
grep -q " -o terrazzo/lib/libterrazzo.so" "$work/log" || fail "the program's build would make no libterrazzo"
echo "package ok"
