# The same flags for every file, so that two precompiled headers serve the whole
# build (decision R18). -fPIC is given as a plain option because CMake would use
# -fPIE for executables, and a precompiled header serves only one of the two.
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
add_compile_options(
  -fPIC -fvisibility=hidden
  "$<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>"
  -ffunction-sections -fdata-sections
  -Wall -Wextra -Wno-unused-parameter
  "$<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers;-Wnon-virtual-dtor;-Woverloaded-virtual>")
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # ccache refuses precompiled headers that carry a time stamp.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  add_link_options(-fuse-ld=lld)
endif()
# --as-needed: Debian's LLVM names libraries (libz3) that nothing here calls (R19).
add_link_options(-Wl,--gc-sections -Wl,-z,noexecstack -Wl,--as-needed)
# Debian's static LLVM brings debug information of its own, of a kind that
# Debian's valgrind ends on. It goes where nobody asked for any.
if(NOT CMAKE_CXX_FLAGS MATCHES "(^| )-g([1-3]|gdb|line-tables-only|dwarf-[2-5])?( |$)")
  add_link_options("$<$<NOT:$<CONFIG:Debug,RelWithDebInfo>>:-Wl,--strip-debug>")
endif()
# Releases are the same bytes wherever they are built (ci/reproduce): files are
# named from the tree's root. Other builds name them so that a debugger finds them.
if(CMAKE_BUILD_TYPE MATCHES "^(Release|MinSizeRel)$")
  add_compile_options(-ffile-prefix-map=${Terrazzo_SOURCE_DIR}=. -ffile-prefix-map=${Terrazzo_BINARY_DIR}=build)
endif()
if(TERRAZZO_WERROR)
  add_compile_options(-Werror)
endif()
if(TERRAZZO_SANITIZE)
  string(REPLACE ";" "," _tz_san "${TERRAZZO_SANITIZE}")
  add_compile_options(-fsanitize=${_tz_san} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${_tz_san})
endif()
if(TERRAZZO_BUILD_FUZZERS)
  # Coverage for every library; only the fuzz targets link the driver.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
