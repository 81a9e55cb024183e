//===- SessionTest.cpp - the C API with a compiler that counts ------------===//
//
// What   Specialisation: which launches compile, and what the compiler is
//        asked; argument mistakes; artifacts saved and loaded; hooks; threads.
// Why    The rules of decision R8 live in the launch path, whatever compiles.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/CountingCompiler.h"
#include "test/unit/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <thread>

using namespace tz::runtime;
using testing::HasSubstr;

namespace {

tz_arg ptr(uint64_t address) { return tz_pointer(address, TZ_TYPE_F32); }

TEST_F(SessionApi, OneCompilationForEachThingThatMatters) {
  EXPECT_FALSE(launch({ptr(64), tz_i32(24), tz_f32(2), tz_i32(128)}));
  EXPECT_EQ(compiled(), 1u);
  // Other values of the same kinds.
  EXPECT_FALSE(launch({ptr(128), tz_i32(32), tz_f32(3), tz_i32(128)}));
  EXPECT_EQ(compiled(), 1u);
  EXPECT_FALSE(launch({ptr(64), tz_i32(25), tz_f32(2), tz_i32(128)}));
  EXPECT_EQ(compiled(), 2u) << "no multiple of 8";
  EXPECT_FALSE(launch({ptr(68), tz_i32(24), tz_f32(2), tz_i32(128)}));
  EXPECT_EQ(compiled(), 3u) << "unaligned pointer";
  EXPECT_FALSE(launch({ptr(64), tz_i32(1), tz_f32(2), tz_i32(128)}));
  EXPECT_EQ(compiled(), 4u) << "n == 1";
  EXPECT_FALSE(launch({ptr(64), tz_i32(24), tz_f32(2), tz_i32(256)}));
  EXPECT_EQ(compiled(), 5u) << "another constexpr";
  EXPECT_FALSE(launch({ptr(64), tz_i64(24), tz_f32(2), tz_i32(128)}));
  EXPECT_EQ(compiled(), 6u) << "another type";
  EXPECT_FALSE(
      launch({ptr(64), tz_i32(24), tz_f32(2), tz_i32(128), tz_string("relu")}));
  EXPECT_EQ(compiled(), 7u) << "a string";
  std::string same = "relu"; // equal text at another address
  EXPECT_FALSE(launch(
      {ptr(64), tz_i32(24), tz_f32(2), tz_i32(128), tz_string(same.c_str())}));
  EXPECT_FALSE(launch({ptr(64), tz_i32(24), tz_f32(2), tz_i32(128)}));
  EXPECT_EQ(compiled(), 7u);

  const CompileJob &one = CountingCompiler::jobs[3];
  EXPECT_TRUE(one.arguments[1].equalsOne);
  EXPECT_EQ(one.arguments[0].divisor, 16u);
  EXPECT_EQ(one.arguments[3].constant.i64, 128);
  EXPECT_EQ(one.arguments[4].kind, ArgumentSpec::Default);
  EXPECT_EQ(one.plugin, "echo");
}

TEST_F(SessionApi, FoldedArgumentsAreNotPacked) {
  EXPECT_FALSE(launch({ptr(64), tz_i32(1), tz_f32(2), tz_i32(128)}, 9));
  const EchoLaunch &last = Echo::instance().launches.back();
  EXPECT_EQ(last.args.size(), 16u);
  EXPECT_EQ(last.grid[0], 9u);
  float scale;
  std::memcpy(&scale, last.args.data() + 8, 4);
  EXPECT_EQ(scale, 2.0f);
}

TEST_F(SessionApi, MoreSpecialisationsThanAnyTableHolds) {
  for (int round = 0; round < 2; ++round) {
    for (int32_t block = 0; block < 400; ++block) {
      ASSERT_FALSE(launch({ptr(64), tz_i32(24), tz_f32(2), tz_i32(block)}));
    }
  }
  EXPECT_EQ(compiled(), 400u);
}

TEST_F(SessionApi, CodeIsForTheTargetThatWasNamed) {
  tz_device_t small = nullptr, again = nullptr, second = nullptr;
  ok(tz_device_open(session, "echo:small", &small));
  ok(tz_device_open(session, "echo:0:small", &again));
  ok(tz_device_open(session, "echo:1:small", &second));
  EXPECT_EQ(small, again);
  EXPECT_NE(small, device);
  EXPECT_NE(small, second);
  tz_device_facts facts{};
  facts.struct_size = sizeof(facts);
  ok(tz_device_describe(second, &facts));
  EXPECT_STREQ(facts.target, "echo:small");
  EXPECT_EQ(facts.index, 1u);
  tz_device_t own = nullptr;
  ok(tz_device_open(session, "echo:any", &own));
  EXPECT_EQ(own, device) << "its own target, named";

  // One kernel, two streams: each launch runs the code of its stream's target.
  std::vector<tz_arg> args{ptr(64), tz_i32(24), tz_f32(2), tz_i32(128)};
  tz_stream_t other = nullptr;
  ok(tz_stream_create(small, &other));
  int64_t grid[3] = {1, 1, 1};
  for (int round = 0; round < 3; ++round) {
    ok(tz_kernel_launch(kernel, stream, grid, args.data(), args.size()));
    ok(tz_kernel_launch(kernel, other, grid, args.data(), args.size()));
  }
  ASSERT_EQ(compiled(), 2u);
  EXPECT_EQ(CountingCompiler::jobs[0].target, "echo:any");
  EXPECT_EQ(CountingCompiler::jobs[1].target, "echo:small");
  tz_stream_destroy(other);
}

TEST_F(SessionApi, CodeThatTheDeviceCannotRunIsRefused) {
  tz_device_t none = nullptr;
  Owned s(tz_device_open(session, "echo:large", &none));
  EXPECT_EQ(tz_status_code(s.get()), TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(tz_status_message(s.get()),
              HasSubstr("target 'echo:large': echo:0 cannot run this code: it "
                        "is too small"));
  s = Owned(tz_device_open(session, "echo:1:nosuch", &none));
  EXPECT_EQ(tz_status_code(s.get()), TZ_E_NOT_FOUND);
  EXPECT_THAT(tz_status_message(s.get()),
              HasSubstr("target 'echo:1:nosuch': there is no code target "
                        "'nosuch'"));
  s = Owned(tz_device_open(session, "echo:7", &none));
  EXPECT_THAT(tz_status_message(s.get()), HasSubstr("there are 2 devices"));
  EXPECT_EQ(none, nullptr);
}

TEST_F(SessionApi, WrongArgumentsSaySo) {
  Owned s = launch({ptr(64)});
  ASSERT_TRUE(s);
  EXPECT_EQ(tz_status_code(s.get()), TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(tz_status_message(s.get()),
              HasSubstr("takes from 4 to 5 arguments (x, n, scale, BLOCK, "
                        "flag), not 1"));
  s = launch({tz_pointer(64, 0), tz_i32(24), tz_f32(2), tz_i32(128)});
  EXPECT_THAT(tz_status_message(s.get()), HasSubstr("points to"));
  s = launch({ptr(64), tz_arg_make(99, 0, 0), tz_f32(2), tz_i32(128)});
  EXPECT_THAT(tz_status_message(s.get()), HasSubstr("unknown type 99"));
  s = launch({ptr(64), tz_i32(24), tz_f32(2), ptr(8)});
  EXPECT_THAT(tz_status_message(s.get()), HasSubstr("is constexpr"));
  s = launch({ptr(64), tz_i32(24), tz_f32(2), tz_i32(128)}, 0);
  EXPECT_THAT(tz_status_message(s.get()), HasSubstr("grid axis x is 0"));
  EXPECT_EQ(compiled(), 0u)
      << "nothing is compiled for a launch that cannot be";
  EXPECT_TRUE(Owned(tz_kernel_launch(nullptr, stream, nullptr, nullptr, 0)));
  tz_kernel_source bad{};
  bad.struct_size = sizeof(bad);
  bad.path = "/no/such/file.py";
  tz_kernel_t none = nullptr;
  s = Owned(tz_kernel_load(session, &bad, &none));
  EXPECT_EQ(tz_status_code(s.get()), TZ_E_NOT_FOUND);
  EXPECT_THAT(tz_status_message(s.get()), HasSubstr("/no/such/file.py"));
  EXPECT_EQ(none, nullptr);
}

TEST_F(SessionApi, BoundConstantsLeaveTheLaunch) {
  tz_named_arg constants[] = {{"BLOCK", tz_i32(64)}, {"n", tz_i32(7)}};
  tz_kernel_source source{};
  source.struct_size = sizeof(source);
  source.text = "text";
  source.text_size = 4;
  source.constants = constants;
  source.num_constants = 2;
  tz_kernel_t fixed = nullptr;
  ok(tz_kernel_load(session, &source, &fixed));
  EXPECT_EQ(tz_kernel_parameter_count(fixed), 3u);
  EXPECT_STREQ(tz_kernel_parameter_name(fixed, 1), "scale");
  tz_arg args[] = {ptr(64), tz_f32(1)};
  int64_t grid[3] = {1, 1, 1};
  ok(tz_kernel_launch(fixed, stream, grid, args, 2));
  EXPECT_EQ(CountingCompiler::jobs[0].arguments[1].constant.i64, 7);
  tz_kernel_destroy(fixed);
  constants[0].name = "NOSUCH";
  Owned s(tz_kernel_load(session, &source, &fixed));
  EXPECT_THAT(tz_status_message(s.get()), HasSubstr("no parameter 'NOSUCH'"));
}

TEST_F(SessionApi, ASavedArtifactRunsWithoutACompiler) {
  TemporaryFolder folder;
  std::string path = folder.path + "/kernel.tza";
  tz_arg args[] = {ptr(64), tz_i32(24), tz_f32(2), tz_i32(128)};
  ok(tz_kernel_save(kernel, device, args, 4, path.c_str()));
  const auto &jobs = CountingCompiler::jobs;
  ASSERT_EQ(jobs.size(), 2u) << "one for launches, one for the file";
  EXPECT_TRUE(jobs[0].options.empty());
  ASSERT_EQ(jobs[1].options.size(), 1u);
  EXPECT_EQ(jobs[1].options[0].key, "ahead_of_time");
  EXPECT_EQ(jobs[1].options[0].i64, 1);
  setCompilerFactory(nullptr);
  tz_session_t plain = nullptr;
  tz_session_options options{};
  options.struct_size = sizeof(options);
  options.flags = TZ_SESSION_IGNORE_ENVIRONMENT | TZ_SESSION_NO_COMPILER;
  options.cache_folder = "";
  ok(tz_session_create(&options, &plain));
  tz_device_t other = nullptr;
  ok(tz_device_open(plain, "echo", &other));
  tz_stream_t queue = nullptr;
  ok(tz_stream_create(other, &queue));
  tz_kernel_source source{};
  source.struct_size = sizeof(source);
  source.path = path.c_str();
  tz_kernel_t loaded = nullptr;
  ok(tz_kernel_load(plain, &source, &loaded));
  int64_t grid[3] = {3, 1, 1};
  for (int i = 0; i < 3; ++i) {
    ok(tz_kernel_launch(loaded, queue, grid, args, 4));
  }
  args[1] = tz_i32(25);
  Owned s(tz_kernel_launch(loaded, queue, grid, args, 4));
  EXPECT_THAT(tz_status_message(s.get()),
              HasSubstr("'n' of kernel 'kernel' is no multiple of 8"));
  args[1] = tz_i32(24);
  args[3] = tz_i32(64);
  s = Owned(tz_kernel_launch(loaded, queue, grid, args, 4));
  EXPECT_THAT(tz_status_message(s.get()), HasSubstr("has another value"));
  tz_kernel_destroy(loaded);

  std::string bytes = readFile(path);
  std::string file = folder.path + "/cut.tza";
  source.path = file.c_str();
  for (size_t cut : {bytes.size() - 1, bytes.size() / 2, size_t(60)}) {
    folder.write("cut.tza", bytes.substr(0, cut));
    s = Owned(tz_kernel_load(plain, &source, &loaded));
    EXPECT_THAT(tz_status_message(s.get()), HasSubstr("truncated"));
  }
  bytes[bytes.size() / 2] ^= 4;
  folder.write("cut.tza", bytes);
  s = Owned(tz_kernel_load(plain, &source, &loaded));
  EXPECT_EQ(tz_status_code(s.get()), TZ_E_DATA_LOSS);
  source.path = nullptr;
  source.text = "text";
  source.text_size = 4;
  s = Owned(tz_kernel_load(plain, &source, &loaded));
  EXPECT_EQ(tz_status_code(s.get()), TZ_E_UNIMPLEMENTED);
  tz_stream_destroy(queue);
  tz_session_destroy(plain);
}

/// docs/decisions/008: code for arrays apart is wrong for one given twice.
TEST_F(SessionApi, AnArtifactForArgumentsApartRefusesTwoAtOneAddress) {
  TemporaryFolder folder;
  std::string path = folder.path + "/kernel.tza";
  tz_arg apart[] = {ptr(64), tz_i32(24), tz_f32(2), tz_i32(128), ptr(128)};
  tz_arg together[] = {ptr(64), tz_i32(24), tz_f32(2), tz_i32(128), ptr(64)};
  int64_t grid[3] = {1, 1, 1};
  auto load = [&](const tz_arg *savedFor) {
    tz_kernel_t loaded = nullptr;
    ok(tz_kernel_save(kernel, device, savedFor, 5, path.c_str()));
    tz_kernel_source source{};
    source.struct_size = sizeof(source);
    source.path = path.c_str();
    ok(tz_kernel_load(session, &source, &loaded));
    return loaded;
  };
  tz_kernel_t forApart = load(apart);
  ok(tz_kernel_launch(forApart, stream, grid, apart, 5));
  Owned s(tz_kernel_launch(forApart, stream, grid, together, 5));
  EXPECT_EQ(tz_status_code(s.get()), TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(tz_status_message(s.get()),
              HasSubstr("argument 'x' of kernel 'kernel' is at the address of "
                        "another argument"));
  // Two null addresses are no array.
  tz_arg null[] = {ptr(0), tz_i32(24), tz_f32(2), tz_i32(128), ptr(0)};
  ok(tz_kernel_launch(forApart, stream, grid, null, 5));
  tz_kernel_destroy(forApart);
  tz_kernel_t forBoth = load(together);
  ok(tz_kernel_launch(forBoth, stream, grid, together, 5));
  ok(tz_kernel_launch(forBoth, stream, grid, apart, 5));
  tz_kernel_destroy(forBoth);
}

TEST_F(SessionApi, HooksSeeCompileLoadAndLaunch) {
  std::vector<std::string> seen;
  tz_hooks hooks{};
  hooks.struct_size = sizeof(hooks);
  hooks.ctx = &seen;
  hooks.enter = [](void *ctx, uint32_t activity, uint64_t, const char *name) {
    static_cast<std::vector<std::string> *>(ctx)->push_back(
        std::to_string(activity) + name);
  };
  hooks.exit = [](void *ctx, uint32_t activity, uint64_t, int32_t code) {
    static_cast<std::vector<std::string> *>(ctx)->push_back(
        "-" + std::to_string(activity) + ":" + std::to_string(code));
  };
  ok(tz_session_set_hooks(session, &hooks));
  EXPECT_FALSE(launch({ptr(64), tz_i32(24), tz_f32(2), tz_i32(128)}));
  EXPECT_THAT(seen, testing::ElementsAre("1kernel", "-1:0", "2kernel", "-2:0",
                                         "3kernel", "-3:0"));
  ok(tz_session_set_hooks(session, nullptr));
  EXPECT_FALSE(launch({ptr(64), tz_i32(24), tz_f32(2), tz_i32(128)}));
  EXPECT_EQ(seen.size(), 6u);
}

/// Many threads, one kernel: every specialisation is compiled once.
TEST_F(SessionApi, ThreadsShareSpecialisations) {
  Echo::instance().record = false;
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      tz_stream_t own = nullptr;
      failures += tz_stream_create(device, &own) != nullptr;
      int64_t grid[3] = {1, 1, 1};
      for (int i = 0; i < 500; ++i) {
        tz_arg args[] = {ptr(64), tz_i32(24 + i % 2), tz_f32(2),
                         tz_i32(i % 50)};
        failures += tz_kernel_launch(kernel, own, grid, args, 4) != nullptr;
      }
      tz_stream_destroy(own);
    });
  }
  for (std::thread &t : threads) {
    t.join();
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(compiled(), 50u); // i even has n = 24, i odd n = 25
}

TEST_F(SessionApi, ListsItsPlugins) {
  size_t count = tz_session_plugin_count(session);
  ASSERT_GE(count, 1u);
  tz_plugin_line line{};
  line.struct_size = sizeof(line);
  ok(tz_session_plugin(session, 0, &line));
  EXPECT_STREQ(line.name, "echo");
  EXPECT_STREQ(line.path, "(built in)");
  EXPECT_TRUE(Owned(tz_session_plugin(session, count, &line)));
  tz_device_facts facts{};
  facts.struct_size = sizeof(facts);
  ok(tz_device_describe(device, &facts));
  EXPECT_STREQ(facts.target, "echo:any");
  Owned s(tz_device_open(session, "nosuch", &device));
  EXPECT_THAT(tz_status_message(s.get()), HasSubstr("unknown target 'nosuch'"));
}

TEST_F(SessionApi, MemoryCopiesAndEvents) {
  uint64_t memory = 0;
  ok(tz_memory_alloc(device, 16, &memory));
  ok(tz_fill(stream, memory, 16, 0xab, 1));
  uint8_t back[16] = {};
  ok(tz_copy_out(stream, back, memory, 16));
  tz_event_t event = nullptr;
  ok(tz_event_create(device, &event));
  ok(tz_event_record(event, stream));
  ok(tz_stream_wait(stream, event));
  ok(tz_event_sync(event, UINT64_MAX));
  int32_t done = 0;
  ok(tz_event_query(event, &done));
  EXPECT_EQ(done, 1);
  ok(tz_stream_sync(stream));
  EXPECT_EQ(back[15], 0xab);
  EXPECT_TRUE(Owned(tz_fill(stream, memory, 16, 0, 3)));
  ok(tz_stream_forget_memory(stream, memory, 16));
  ok(tz_stream_forget_memory(stream, memory, 0));
  ok(tz_copy_in(stream, memory, back, 16)); // notes what it writes
  EXPECT_TRUE(Owned(tz_stream_forget_memory(stream, 0, 16)));
  EXPECT_TRUE(Owned(tz_stream_forget_memory(stream, UINT64_MAX - 3, 16)));
  EXPECT_TRUE(Owned(tz_stream_forget_memory(nullptr, memory, 16)));
  tz_event_destroy(event);
  ok(tz_memory_free(device, memory));
}

/// The number of the first check that failed in a forked child; 0: none.
int inChild(const std::function<bool(int)> &check, int checks) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20); // a hang is a failure
    for (int i = 0; i < checks; ++i) {
      if (!check(i)) {
        _exit(i + 1);
      }
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool isForkedError(tz_status_t status) {
  Owned owned(status);
  return tz_status_code(status) == TZ_E_FAILED_PRECONDITION &&
         std::string(tz_status_message(status)).find("forked") !=
             std::string::npos;
}

TEST_F(SessionApi, AForkedChildIsToldSo) {
  EXPECT_FALSE(launch({ptr(64), tz_i32(24), tz_f32(2), tz_i32(128)}));
  auto check = [&](int i) {
    tz_arg args[] = {ptr(64), tz_i32(24), tz_f32(2), tz_i32(128)};
    int64_t grid[3] = {1, 1, 1};
    tz_session_t newSession = nullptr;
    tz_stream_t newStream = nullptr;
    tz_device_t newDevice = nullptr;
    uint64_t address = 0;
    switch (i) {
    case 0:
      return isForkedError(tz_kernel_launch(kernel, stream, grid, args, 4));
    case 1:
      return isForkedError(tz_session_create(nullptr, &newSession)) &&
             !newSession;
    case 2:
      return isForkedError(tz_stream_create(device, &newStream)) && !newStream;
    case 3:
      return isForkedError(tz_stream_wrap(device, nullptr, &newStream));
    case 4:
      return isForkedError(tz_stream_sync(stream));
    case 5:
      return isForkedError(tz_memory_alloc(device, 64, &address));
    case 6:
      return isForkedError(tz_device_open(session, "echo", &newDevice));
    default: // none of these may wait for a thread of the parent
      tz_kernel_destroy(kernel);
      tz_stream_destroy(stream);
      tz_session_destroy(session);
      return true;
    }
  };
  EXPECT_EQ(inChild(check, 8), 0);
  // The parent goes on.
  EXPECT_FALSE(launch({ptr(64), tz_i32(24), tz_f32(2), tz_i32(128)}));
}

} // namespace
