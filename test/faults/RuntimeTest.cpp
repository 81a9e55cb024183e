//===- RuntimeTest.cpp - every call of runtime, loader and cache fails ----===//
//
// What   Sessions, plugins, the cache, services for plugins, artifact files and
//        launches on the CPU, with each allocation, file call, mapping and
//        thread failing once.
// Why    See Scenario.h.
//===----------------------------------------------------------------------===//
#include "test/faults/Scenario.h"

#include "runtime/cache/Cache.h"
#include "runtime/capture/CaptureFile.h"
#include "runtime/file/File.h"
#include "runtime/loader/Host.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>

using namespace tz::faults;
using namespace tz::runtime;

namespace {

const std::vector<Call> Everything = {
    Call::Allocate, Call::Open,   Call::Read,  Call::Write,  Call::Rename,
    Call::Map,      Call::Folder, Call::Close, Call::Thread, Call::Load};

std::string contentOf(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void releases(tz_status_t status) { tz_status_release(status); }

/// A program's handles, gone in the right order whatever happened.
struct Handles {
  tz_session_t session = nullptr;
  tz_device_t device = nullptr;
  tz_stream_t stream = nullptr;
  tz_event_t event = nullptr;
  tz_kernel_t kernel = nullptr;
  tz_profile_t profile = nullptr;
  std::vector<uint64_t> memory;

  ~Handles() {
    Inside here;
    tz_profile_destroy(profile);
    tz_kernel_destroy(kernel);
    tz_event_destroy(event);
    tz_stream_destroy(stream);
    for (uint64_t address : memory) {
      releases(tz_memory_free(device, address));
    }
    tz_session_destroy(session);
  }

  void openSession(Attempt &attempt, const char *plugin) {
    // Only the plugin that is named, and no cache of the user.
    setenv(
        "TERRAZZO_PLUGIN_FILES",
        (std::string(TZ_TEST_PLUGIN_FOLDER) + "/" + plugin + ".json").c_str(),
        1);
    attempt.step("session", [&] {
      tz_session_options options{};
      options.struct_size = sizeof(options);
      options.cache_folder = "";
      return tz_session_create(&options, &session);
    });
  }
  void openDevice(Attempt &attempt, const char *plugin) {
    openSession(attempt, plugin);
    attempt.step("device",
                 [&] { return tz_device_open(session, plugin, &device); });
    attempt.step("stream", [&] { return tz_stream_create(device, &stream); });
  }
  void load(Attempt &attempt, const std::string &path) {
    attempt.step("load", [&] {
      tz_kernel_source source{};
      source.struct_size = sizeof(source);
      source.path = path.c_str();
      return tz_kernel_load(session, &source, &kernel);
    });
  }
  uint64_t allocate(Attempt &attempt, uint64_t bytes) {
    memory.push_back(0);
    attempt.step("memory", [&] {
      return tz_memory_alloc(device, bytes, &memory.back());
    });
    return memory.back();
  }
};

TEST(EachCallFails, SessionWithAPlugin) {
  failEachCall({"session",
                Everything,
                {},
                [](Attempt &attempt) {
                  Handles h;
                  h.openSession(attempt, "null");
                  size_t count = tz_session_plugin_count(h.session);
                  attempt.require(count == 1, "the manifest has no line");
                  attempt.step("line", [&] {
                    tz_plugin_line line{};
                    line.struct_size = sizeof(line);
                    tz_status_t status = tz_session_plugin(h.session, 0, &line);
                    attempt.require(status || line.state == 0 ||
                                        (attempt.mayFail && *line.reason),
                                    "a plugin is refused without a reason");
                    return status;
                  });
                },
                {}});
}

TEST(EachCallFails, PluginIsLoaded) {
  failEachCall({"plugin",
                Everything,
                {},
                [](Attempt &attempt) {
                  Handles h;
                  h.openDevice(attempt, "null");
                  attempt.step("facts", [&] {
                    tz_device_facts facts{};
                    facts.struct_size = sizeof(facts);
                    return tz_device_describe(h.device, &facts);
                  });
                  attempt.step("event", [&] {
                    return tz_event_create(h.device, &h.event);
                  });
                },
                {}});
}

CacheOptions optionsFor(const Attempt &attempt) {
  CacheOptions options;
  options.folder = attempt.folder + "/cache";
  options.warn = [](const std::string &) {};
  return options;
}

/// What is read is what was written, or nothing.
void useCache(Attempt &attempt, Cache &cache) {
  const std::string content(3000, 'c');
  attempt.step("write", [&] {
    (void)cache.put("one", content, "first"); // never needed
    (void)cache.put("two", "", "second");
    return Status();
  });
  attempt.step("read", [&] {
    auto one = cache.get("one"), none = cache.get("none");
    attempt.require(!one || *one == content, "another content is read");
    attempt.require(!none, "there is what nobody wrote");
    attempt.require(one || attempt.mayFail, "nothing was kept");
    return Status();
  });
  attempt.step("damage", [&] {
    attempt.require(cache.statistics().damaged == 0,
                    "what cannot be read now is thrown away");
    return Status();
  });
  attempt.step("list", [&] {
    Cache::Listing listing = cache.list();
    attempt.require(listing.lines.size() == 2 || attempt.mayFail,
                    "the list is short");
    return listing.problem;
  });
  attempt.step("prune", [&] { return cache.prune(1 << 20).problem; });
  attempt.step("count", [&] { return cache.statistics().problem; });
}

void checkCache(Attempt &attempt) {
  for (const Cache::Line &line : Cache(optionsFor(attempt)).list().lines) {
    attempt.require(line.label == "first" || line.label == "second",
                    "an entry is damaged");
  }
}

TEST(EachCallFails, CacheIsFilled) {
  failEachCall({"cache, filled",
                Everything,
                {},
                [](Attempt &attempt) {
                  std::optional<Cache> cache;
                  attempt.step("cache", [&] {
                    cache.emplace(optionsFor(attempt));
                    return Status();
                  });
                  useCache(attempt, *cache);
                },
                checkCache});
}

TEST(EachCallFails, CacheIsFull) {
  // Each entry pushes others out.
  auto prepare = [](Attempt &attempt) {
    Cache cache(optionsFor(attempt));
    for (int i = 0; i < 5; ++i) {
      (void)cache.put("old" + std::to_string(i), std::string(3000, 'o'),
                      "first");
    }
  };
  failEachCall({"cache, full", Everything, prepare,
                [](Attempt &attempt) {
                  std::optional<Cache> cache;
                  attempt.step("cache", [&] {
                    CacheOptions options = optionsFor(attempt);
                    options.maxBytes = 10000;
                    cache.emplace(std::move(options));
                    return Status();
                  });
                  attempt.step("write", [&] {
                    (void)cache->put("one", std::string(3000, 'c'), "first");
                    return Status();
                  });
                  attempt.step("read", [&] {
                    auto one = cache->get("one");
                    attempt.require(one || attempt.mayFail, "nothing was kept");
                    return Status();
                  });
                  attempt.step("size", [&] {
                    Cache::Statistics now = cache->statistics();
                    attempt.require(now.bytes <= 10000 || attempt.mayFail,
                                    "the limit does not hold");
                    return now.problem;
                  });
                },
                checkCache});
}

TEST(EachCallFails, CacheIsCleared) {
  failEachCall({"cache, cleared", Everything,
                [](Attempt &attempt) {
                  Cache cache(optionsFor(attempt));
                  (void)cache.put("one", "1", "first");
                  (void)cache.put("two", "2", "second");
                },
                [](Attempt &attempt) {
                  std::optional<Cache> cache;
                  attempt.step("cache", [&] {
                    cache.emplace(optionsFor(attempt));
                    return Status();
                  });
                  attempt.step("clear", [&] { return cache->clear().problem; });
                  attempt.step("count", [&] {
                    Cache::Statistics now = cache->statistics();
                    attempt.require(now.entries == 0 || !now.problem.ok(),
                                    "an entry is left in silence");
                    return now.problem;
                  });
                },
                checkCache});
}

TEST(EachCallFails, ServicesOfAPlugin) {
  failEachCall(
      {"services",
       Everything,
       {},
       [](Attempt &attempt) {
         std::optional<Cache> cache;
         std::optional<HostServices> services;
         attempt.step("services", [&] {
           cache.emplace(optionsFor(attempt));
           services.emplace("plugin", &*cache);
           return Status();
         });
         const tz_host &host = *services->table();
         tz_bytes key{"key", 3}, value{"value", 5};
         attempt.step("put", [&] {
           int32_t code = host.cache_put(host.ctx, key, value);
           return code == TZ_E_OK ? Status() : Status(code, codeName(code));
         });
         attempt.step("get", [&] {
           void *data = nullptr;
           size_t size = 0;
           int32_t code = host.cache_get(host.ctx, key, &data, &size);
           if (code == TZ_E_OK) {
             attempt.require(
                 std::string_view(static_cast<char *>(data), size) == "value",
                 "another content");
             host.free(host.ctx, data, size, 1);
           }
           return code == TZ_E_OK ? Status() : Status(code, codeName(code));
         });
         host.log(host.ctx, 0, str("part"), str("text"));
       },
       {}});
}

TEST(EachCallFails, ArtifactIsLoadedAndSaved) {
  const std::string kernel = TZ_TEST_CPU_KERNEL;
  failEachCall({"artifact",
                Everything,
                {},
                [&](Attempt &attempt) {
                  Handles h;
                  h.openDevice(attempt, "cpu");
                  h.load(attempt, kernel);
                  attempt.require(tz_kernel_parameter_count(h.kernel) == 5,
                                  "the artifact has other parameters");
                  const std::string path = attempt.folder + "/saved.tzo";
                  attempt.step("save", [&] {
                    tz_arg args[] = {tz_pointer(64, TZ_TYPE_F32),
                                     tz_pointer(128, TZ_TYPE_F32),
                                     tz_pointer(192, TZ_TYPE_F32), tz_i32(16)};
                    return tz_kernel_save(h.kernel, h.device, args, 4,
                                          path.c_str());
                  });
                  attempt.require(contentOf(path) == contentOf(kernel),
                                  "another artifact is saved");
                },
                {}});
}

TEST(EachCallFails, FileIsReplaced) {
  failEachCall(
      {"file", Everything,
       [](Attempt &attempt) {
         std::ofstream(attempt.folder + "/file") << "old";
       },
       [](Attempt &attempt) {
         const std::string path = attempt.folder + "/file";
         attempt.step("replace", [&] { return replaceFile(path, "newer"); });
       },
       [](Attempt &attempt) {
         attempt.require(contentOf(attempt.folder + "/file") == "newer",
                         "the file is something between");
       }});
}

/// Adds two arrays, under a profile or without one.
void addOnTheCpu(Attempt &attempt, bool hasProfile) {
  constexpr size_t numElements = 1000;
  static float x[numElements], y[numElements], sum[numElements];
  std::iota(x, x + numElements, 0.f);
  std::iota(y, y + numElements, 5.f);
  std::memset(sum, 0, sizeof(sum));
  Handles h;
  h.openDevice(attempt, "cpu");
  h.load(attempt, TZ_TEST_CPU_KERNEL);
  uint64_t a = h.allocate(attempt, sizeof(x)),
           b = h.allocate(attempt, sizeof(y)),
           out = h.allocate(attempt, sizeof(sum));
  attempt.step("copy in",
               [&] { return tz_copy_in(h.stream, a, x, sizeof(x)); });
  attempt.step("copy in",
               [&] { return tz_copy_in(h.stream, b, y, sizeof(y)); });
  if (hasProfile) {
    attempt.step("profile", [&] {
      return tz_profile_start(h.session, nullptr, &h.profile);
    });
    attempt.step("scope", [] { return tz_profile_enter_scope("outer"); });
  }
  attempt.step("launch", [&] {
    tz_arg args[] = {tz_pointer(a, TZ_TYPE_F32), tz_pointer(b, TZ_TYPE_F32),
                     tz_pointer(out, TZ_TYPE_F32), tz_i32(numElements)};
    int64_t grid[3] = {4, 1, 1};
    return tz_kernel_launch(h.kernel, h.stream, grid, args, 4);
  });
  attempt.step("copy out",
               [&] { return tz_copy_out(h.stream, sum, out, sizeof(sum)); });
  attempt.step("wait", [&] { return tz_stream_sync(h.stream); });
  for (size_t i = 0; i < numElements; ++i) {
    attempt.require(sum[i] == x[i] + y[i], "an element is wrong");
  }
  if (hasProfile) {
    attempt.step("scope's end", [] { return tz_profile_exit_scope("outer"); });
    attempt.step("flush", [&] { return tz_profile_flush(h.profile); });
    for (const char *format : {"hatchet", "hatchet_msgpack"}) {
      attempt.step(format, [&] {
        const char *content = nullptr;
        size_t size = 0;
        return tz_profile_content(h.profile, 0, format, &content, &size);
      });
    }
  }
}

TEST(EachCallFails, LaunchOnTheCpu) {
  setenv("TERRAZZO_CPU_THREADS", "3", 1);
  failEachCall({"launch on cpu",
                Everything,
                {},
                [](Attempt &attempt) { addOnTheCpu(attempt, false); },
                {}});
}

TEST(EachCallFails, ProfileOnTheCpu) {
  setenv("TERRAZZO_CPU_THREADS", "3", 1);
  failEachCall({"profile on cpu",
                Everything,
                {},
                [](Attempt &attempt) { addOnTheCpu(attempt, true); },
                {}});
}

TEST(EachCallFails, CaptureOnTheCpu) {
  setenv("TERRAZZO_CPU_THREADS", "3", 1);
  failEachCall(
      {"capture on cpu",
       Everything,
       {},
       [](Attempt &attempt) {
         setenv("TERRAZZO_CAPTURE", (attempt.folder + "/captured").c_str(), 1);
         setenv("TERRAZZO_CAPTURE_WHEN", "all", 1);
         addOnTheCpu(attempt, false);
       },
       [](Attempt &attempt) {
         // Whole files or none.
         const std::string folder = attempt.folder + "/captured";
         if (!std::filesystem::exists(folder)) {
           return;
         }
         for (const auto &entry : std::filesystem::directory_iterator(folder)) {
           Result<CapturedLaunch> read =
               readCapture(contentOf(entry.path().string()));
           attempt.require(read && read->arrays.size() == 3 &&
                               read->arrays[0].hasContent,
                           "a captured launch is not whole");
         }
       }});
}

} // namespace
