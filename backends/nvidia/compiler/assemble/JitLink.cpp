//===- JitLink.cpp - PTX to machine code by a library ---------------------===//
//
// What   See JitLink.h. The few functions are declared here, as nvJitLink's
//        documentation gives them, so that the build needs no toolkit.
// Why    See JitLink.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/assemble/JitLink.h"

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <type_traits>

using namespace llvm;

namespace tz::nvidia {

namespace {

struct Handle;
constexpr int Success = 0, InputPtx = 2;

/// The library's functions; an absent one makes it unusable.
struct Functions {
  explicit Functions(void *library) {
    auto find = [&](auto &slot, const char *name) {
      slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(
          dlsym(library, name));
      complete &= slot != nullptr;
    };
    find(create, "nvJitLinkCreate");
    find(destroy, "nvJitLinkDestroy");
    find(add, "nvJitLinkAddData");
    find(link, "nvJitLinkComplete");
    find(errorSize, "nvJitLinkGetErrorLogSize");
    find(error, "nvJitLinkGetErrorLog");
    find(infoSize, "nvJitLinkGetInfoLogSize");
    find(info, "nvJitLinkGetInfoLog");
    find(cubinSize, "nvJitLinkGetLinkedCubinSize");
    find(cubin, "nvJitLinkGetLinkedCubin");
  }

  bool complete = true;
  int (*create)(Handle **, uint32_t, const char **) = nullptr;
  int (*destroy)(Handle **) = nullptr;
  int (*add)(Handle *, int, const void *, size_t, const char *) = nullptr;
  int (*link)(Handle *) = nullptr;
  int (*errorSize)(Handle *, size_t *) = nullptr;
  int (*error)(Handle *, char *) = nullptr;
  int (*infoSize)(Handle *, size_t *) = nullptr;
  int (*info)(Handle *, char *) = nullptr;
  int (*cubinSize)(Handle *, size_t *) = nullptr;
  int (*cubin)(Handle *, void *) = nullptr;
};

template <typename Get>
std::string text(Handle *handle, int (*size)(Handle *, size_t *), Get get) {
  size_t bytes = 0;
  if (size(handle, &bytes) != Success || bytes == 0) {
    return {};
  }
  std::string made(bytes, '\0');
  if (get(handle, made.data()) != Success) {
    return {};
  }
  return made;
}

} // namespace

void *openJitLink(std::string &path) {
  if (const char *given = secure_getenv("TERRAZZO_NVJITLINK")) {
    path = given;
    return path == "none" ? nullptr : dlopen(given, RTLD_NOW | RTLD_LOCAL);
  }
  for (const char *place : {"libnvJitLink.so.13", "libnvJitLink.so.12",
                            "/usr/local/cuda/lib64/libnvJitLink.so.13",
                            "/usr/local/cuda/lib64/libnvJitLink.so.12"}) {
    if (void *library = dlopen(place, RTLD_NOW | RTLD_LOCAL)) {
      Dl_info facts{};
      void *function = dlsym(library, "nvJitLinkCreate");
      path = function && dladdr(function, &facts) ? facts.dli_fname : place;
      return library;
    }
  }
  return nullptr;
}

JitLinked jitLink(void *library, StringRef ptx, StringRef cpu) {
  JitLinked result;
  Functions api(library);
  if (!api.complete) {
    result.log = "the library lacks functions; version 12.0 or newer is needed";
    return result;
  }
  const std::string arch = ("-arch=" + cpu).str(), source = ptx.str();
  const char *options[] = {arch.c_str(), "-Xptxas=-v"};
  Handle *handle = nullptr;
  if (int code = api.create(&handle, 2, options); code != Success) {
    result.log = "nvJitLink does not serve " + cpu.str() + " (error " +
                 std::to_string(code) + ")";
    return result;
  }
  // PTX is given with its terminating zero.
  bool linked = api.add(handle, InputPtx, source.c_str(), source.size() + 1,
                        "kernel") == Success &&
                api.link(handle) == Success;
  result.log = text(handle, api.errorSize, api.error) +
               text(handle, api.infoSize, api.info);
  if (linked) {
    result.cubin = text(handle, api.cubinSize, api.cubin);
  }
  (void)api.destroy(&handle);
  return result;
}

} // namespace tz::nvidia
