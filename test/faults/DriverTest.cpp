//===- DriverTest.cpp - each file call of a compilation fails -------------===//
//
// What   A kernel from its source, with an empty and with a filled cache, where
//        each file call, mapping and thread fails once.
// Why    A compilation reads sources and the cache, and writes the cache. Its
//        allocations are LLVM's, which ends the process for want of memory:
//        what compiles untrusted sources does it in a child (Workers.h). MLIR
//        keeps some memory for ever, so blocks are not counted here.
//===----------------------------------------------------------------------===//
#include "core/driver/Driver.h"

#include "test/faults/Scenario.h"

#include "runtime/cache/Cache.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace tz::faults;
using namespace tz::runtime;

namespace {

const std::vector<Call> Files = {Call::Open,   Call::Read,  Call::Write,
                                 Call::Rename, Call::Map,   Call::Folder,
                                 Call::Close,  Call::Thread};

struct Handles {
  tz_session_t session = nullptr;
  tz_device_t device = nullptr;
  tz_kernel_t kernel = nullptr;

  ~Handles() {
    Inside here;
    tz_kernel_destroy(kernel);
    tz_session_destroy(session);
  }
};

void silent(void *, uint32_t, const char *) {}

void compile(Attempt &attempt) {
  setenv("TERRAZZO_PLUGIN_FILES", TZ_TEST_PLUGIN_FOLDER "/null.json", 1);
  tz::driver::registerDriver();
  const std::string cache = attempt.folder + "/cache";
  Handles h;
  attempt.step("session", [&] {
    tz_session_options options{};
    options.struct_size = sizeof(options);
    options.cache_folder = cache.c_str();
    options.on_diagnostic = silent;
    return tz_session_create(&options, &h.session);
  });
  attempt.step("device",
               [&] { return tz_device_open(h.session, "null", &h.device); });
  attempt.step("load", [&] {
    tz_named_arg block{"BLOCK", tz_i32(256)};
    tz_kernel_source source{};
    source.struct_size = sizeof(source);
    source.path = TZ_TEST_SOURCE;
    source.function = "add_kernel";
    source.constants = &block;
    source.num_constants = 1;
    return tz_kernel_load(h.session, &source, &h.kernel);
  });
  attempt.step("compile", [&] {
    tz_arg args[] = {tz_pointer(64, TZ_TYPE_F32), tz_pointer(128, TZ_TYPE_F32),
                     tz_pointer(192, TZ_TYPE_F32), tz_i32(1000)};
    return tz_kernel_prepare(h.kernel, h.device, args, 4);
  });
}

void check(Attempt &attempt) {
  CacheOptions options;
  options.folder = attempt.folder + "/cache";
  Cache::Listing listing = Cache(options).list();
  attempt.require(!listing.lines.empty(), "nothing was kept");
  for (const Cache::Line &line : listing.lines) {
    attempt.require(line.label != "damaged", "an entry is damaged");
  }
}

TEST(EachCallFails, CompilationWithoutCache) {
  failEachCall({"compile, cache empty", Files, {}, compile, check, false});
}

TEST(EachCallFails, CompilationFromTheCache) {
  failEachCall(
      {"compile, cache filled", Files, compile, compile, check, false});
}

} // namespace
