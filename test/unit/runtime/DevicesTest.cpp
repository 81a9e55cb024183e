//===- DevicesTest.cpp - which device a target means, and what it can -----===//
//
// What   A plugin with several device halves, of two kinds of devices and a
//        simulator; objects of other interfaces; kinds of memory; build logs;
//        one kernel launched by many threads.
// Why    No machine of the tests has any of it (HalfPlugin.cpp).
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/TemporaryFolder.h"

#include "runtime/launch/LoadedKernel.h"

#include <terrazzo/terrazzo.hpp>

#include <cstdlib>
#include <gmock/gmock.h>
#include <thread>

using namespace tz::runtime;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string half(const std::string &name) {
  return "\"" TZ_TEST_MOCK_FOLDER "/tz_half_" + name + ".so\"";
}

class Devices : public testing::Test {
protected:
  /// `halves`: the value of "device" in the manifest.
  void open(const std::string &halves, bool simulators = false) {
    folder.write(
        "mixed.json",
        R"({"manifest_version":"1.0","plugin":{"name":"mixed","version":"1.0",)"
        R"("abi":{"major":0,"built_minor":2,"min_host_minor":2},)"
        R"("library":{"device":)" +
            halves + "}}}");
    RegistryOptions options;
    options.readEnvironment = false;
    options.registeredBuiltins = false;
    options.defaultFolders = {folder.path};
    options.simulators = simulators;
    registry = std::make_unique<Registry>(options);
  }
  /// "1 mixed:b", or the message.
  std::string chosen(const std::string &spec) {
    Result<ResolvedTarget> target = registry->resolve(spec);
    return target ? std::to_string(target->deviceIndex) + " " + target->id
                  : target.status().message();
  }
  std::shared_ptr<Device> device(size_t index = 0) {
    return std::move(*Device::open(**registry->find("mixed"), index));
  }
  /// Its one kernel adds args[1] to the number at args[0].
  static std::shared_ptr<Artifact> artifact(const std::string &code) {
    auto made = std::make_shared<Artifact>();
    made->plugin = "mixed";
    made->function = "kernel";
    made->target = "mixed:a";
    made->blobs.push_back({"main", "text", code});
    made->userTypes = {TZ_TYPE_PTR, TZ_TYPE_I64};
    made->userLeaves = {0, 1};
    Variant &variant = made->variants.emplace_back();
    variant.name = "kernel";
    variant.argBytes = 16;
    for (uint32_t i = 0; i < 2; ++i) {
      ArgInfo &arg = variant.args.emplace_back();
      arg.kind = TZ_ARG_USER;
      arg.index = i;
      arg.type = made->userTypes[i];
      arg.size = arg.align = 8;
      arg.offset = 8 * i;
      SpecializedParameter &parameter = made->parameters.emplace_back();
      parameter.name = i == 0 ? "sum" : "n";
      parameter.spec.kind = ArgumentSpec::Runtime;
      parameter.spec.type = made->userTypes[i];
      parameter.spec.element = i == 0 ? TZ_TYPE_I64 : 0;
    }
    return made;
  }

  TemporaryFolder folder;
  std::unique_ptr<Registry> registry;
};

const std::string Both = "[" + half("A") + "," + half("B") + "]";

TEST_F(Devices, ATargetMeansTheDeviceThatIsOfIt) {
  open(half("B"));
  EXPECT_EQ(chosen("mixed"), "0 mixed:a");
  EXPECT_EQ(chosen("mixed:a"), "0 mixed:a");
  EXPECT_EQ(chosen("mixed:b"), "1 mixed:b");
  // Both run it, neither is it.
  EXPECT_EQ(chosen("mixed:every"), "0 mixed:every");
  EXPECT_EQ(chosen("mixed:1:every"), "1 mixed:every");
  EXPECT_THAT(chosen("mixed:0:b"), HasSubstr("mixed:0 cannot run this code: "
                                             "it is mixed:a"));
  EXPECT_THAT(chosen("mixed:c"), HasSubstr("it is mixed:a"));
}

TEST_F(Devices, HalvesListTheirDevicesOneAfterTheOther) {
  open(Both);
  Result<const Plugin::DeviceList *> list =
      (*registry->find("mixed"))->devices();
  ASSERT_TRUE(list) << list.status().message();
  ASSERT_EQ((*list)->size(), 2u) << "B's first one is A's by its uuid";
  EXPECT_NE((**list)[0].half, (**list)[1].half);
  EXPECT_EQ(chosen("mixed:b"), "1 mixed:b");
  EXPECT_THAT(device(1)->name(), "mixed:b");
}

TEST_F(Devices, AHalfWithoutADriverIsPassedOver) {
  open("[" + half("BROKEN") + "," + half("A") + "]");
  EXPECT_EQ(chosen("mixed"), "0 mixed:a");
  open("[" + half("BROKEN") + "," + half("BROKEN") + "]");
  EXPECT_EQ(chosen("mixed"), "mixed: its driver is not here");
  open("[" + half("BROKEN") + "," + half("nosuch") + "]");
  EXPECT_THAT(chosen("mixed:a"),
              AllOf(HasSubstr("mixed: its driver is not here; "),
                    HasSubstr("tz_half_nosuch.so")));
  open("[" + half("nosuch") + "," + half("A") + "]");
  EXPECT_EQ(chosen("mixed"), "0 mixed:a");
  EXPECT_THAT(registry->listing().front().reason,
              HasSubstr("tz_half_nosuch.so: plugin library does not exist"));
}

TEST_F(Devices, AManifestsListOfHalvesIsChecked) {
  open("[]");
  EXPECT_THAT(chosen("mixed"), HasSubstr("must name a file"));
  open("[1]");
  EXPECT_THAT(chosen("mixed"), HasSubstr("must be a string or a list"));
  open(Both + R"(},"sha256":{"device":["00"])");
  EXPECT_THAT(chosen("mixed"), HasSubstr("must have a hash for each of the 2"));
}

TEST_F(Devices, ASimulatorIsTakenOnRequestAlone) {
  open(half("B"));
  EXPECT_EQ((*(*registry->find("mixed"))->devices())->size(), 2u);
  EXPECT_THAT(chosen("mixed:2"), HasSubstr("there are 2 devices"));
  EXPECT_EQ(chosen("auto"), "0 mixed:a");
  // Its code is a request.
  EXPECT_EQ(chosen("mixed:simulated"), "2 mixed:simulated");
  EXPECT_TRUE(device(2)->isSimulator());
  EXPECT_FALSE(device(1)->isSimulator());
  open(half("B"), /*simulators=*/true);
  EXPECT_EQ(chosen("mixed:2"), "2 mixed:simulated");
  EXPECT_EQ(chosen("mixed"), "0 mixed:a");
}

TEST_F(Devices, ASimulatorIsOpenedBesideAHalfWithoutADriver) {
  open("[" + half("BROKEN") + "," + half("SIMULATED") + "]");
  // Who names the plugin alone is told of it.
  EXPECT_THAT(
      chosen("mixed"),
      testing::AllOf(HasSubstr("its driver is not here"),
                     HasSubstr("target 'mixed:simulated' runs on a device here "
                               "that stands in for one")));
  EXPECT_THAT(chosen("auto"), testing::Not(HasSubstr("stands in for one")));
  ASSERT_EQ(chosen("mixed:simulated"), "0 mixed:simulated");
  EXPECT_TRUE(device(0)->isSimulator());
  // A number that nothing has says why nothing is here.
  EXPECT_THAT(Device::open(**registry->find("mixed"), 1).takeStatus().message(),
              HasSubstr("its driver is not here"));
}

TEST_F(Devices, AHalfWithoutADriverHasItsSimulatorsAllTheSame) {
  open(half("LACKING"));
  EXPECT_THAT(chosen("mixed"), HasSubstr("its driver is not here"));
  EXPECT_EQ(chosen("mixed:simulated"), "0 mixed:simulated");
  open("[" + half("A") + "," + half("LACKING") + "]");
  EXPECT_EQ(chosen("mixed"), "0 mixed:a");
  EXPECT_EQ(chosen("mixed:simulated"), "1 mixed:simulated");
}

TEST_F(Devices, QueuesOfOthersAreWrappedInTheirContext) {
  open(half("A"));
  std::atomic<int> queue{0};
  int context = 0;
  tz_native native{sizeof(native), nullptr, nullptr, nullptr, &queue};
  auto wrapped = device()->wrapStream(native);
  ASSERT_TRUE(wrapped) << wrapped.status().message();
  auto kernel = std::move(*LoadedKernel::load(device(), artifact("code")));
  uint64_t sum = 0;
  const ArgValue args[] = {{TZ_TYPE_PTR, uint64_t(&sum)}, {TZ_TYPE_I64, 3}};
  ASSERT_TRUE(kernel->launch(**wrapped, {1, 1, 1}, args).ok());
  EXPECT_EQ(queue, 1);
  EXPECT_EQ(sum, 3u);

  native.kind = "pipe";
  EXPECT_THAT(device()->wrapStream(native).status().message(),
              HasSubstr("does not work on objects of 'pipe'; it does on those "
                        "of queue"));
  native.kind = "queue";
  native.context = &context;
  EXPECT_THAT(device()->wrapStream(native).status().message(),
              HasSubstr("of another context"));
  // In a device over that context it is at home.
  Plugin &mixed = **registry->find("mixed");
  Result<std::shared_ptr<Device>> own = Device::wrap(mixed, 0, native);
  ASSERT_TRUE(own) << own.status().message();
  EXPECT_TRUE((*own)->wrapStream(native));
  native.context = nullptr;
  EXPECT_EQ(Device::wrap(mixed, 0, native).status().code(),
            TZ_E_INVALID_ARGUMENT);
}

TEST_F(Devices, MemoryHasAKindAndCodeHasVariables) {
  open(half("A"));
  const std::shared_ptr<Device> a = device();
  for (uint32_t kind : {TZ_MEM_DEVICE, TZ_MEM_HOST_PINNED, TZ_MEM_MANAGED}) {
    Result<tz_dptr> memory = a->allocate(64, 0, kind);
    ASSERT_TRUE(memory) << kind;
    EXPECT_TRUE(a->free(*memory).ok());
  }
  const tz_blob code{str("main"), str("text"), {"code", 4}};
  const tz_module_desc desc{sizeof(desc), nullptr, &code, 1, nullptr, nullptr};
  tz_module *module = nullptr;
  ASSERT_TRUE(a->check(a->api().module_load(a->handle(), &desc, &module)).ok());
  tz_dptr address = 0;
  uint64_t bytes = 0;
  ASSERT_TRUE(
      a->check(a->api().module_global(module, str("table"), &address, &bytes))
          .ok());
  EXPECT_EQ(bytes, 8u);
  EXPECT_EQ(*reinterpret_cast<const uint64_t *>(address), 7u);
  EXPECT_EQ(
      a->check(a->api().module_global(module, str("no"), &address, &bytes))
          .code(),
      TZ_E_NOT_FOUND);
  a->api().module_unload(module);
}

TEST_F(Devices, EachLineOfABuildLogIsADiagnostic) {
  open(half("A"));
  std::vector<std::string> said;
  auto sink = [&](uint32_t severity, const std::string &line) {
    said.push_back(std::to_string(severity) + " " + line);
  };
  auto failed =
      LoadedKernel::load(device(), artifact("error: a\n\nat b  \r\n"), sink);
  EXPECT_EQ(failed.status().message(),
            "mixed:0: the driver's compiler refuses the code");
  const std::string where = "kernel 'kernel' on mixed:0: ";
  EXPECT_THAT(said, ElementsAre("0 " + where + "error: error: a",
                                "0 " + where + "error: at b"));
  ASSERT_TRUE(failed.status().fact("build_log"));
  EXPECT_THAT(*failed.status().fact("build_log"), HasSubstr("error: at b\n"));
  said.clear();
  EXPECT_TRUE(LoadedKernel::load(device(), artifact("warning: slow"), sink));
  EXPECT_THAT(said, ElementsAre("1 " + where + "warning: warning: slow"));
}

/// What terrazzo.h has of all this.
TEST_F(Devices, TheCInterfaceSaysTheSame) {
  open(half("B"));
  const char *folders[] = {folder.path.c_str()};
  tz_session_options options{};
  options.struct_size = sizeof(options);
  options.flags = TZ_SESSION_IGNORE_ENVIRONMENT | TZ_SESSION_NO_COMPILER |
                  TZ_SESSION_SIMULATORS;
  options.plugin_folders = folders;
  options.num_plugin_folders = 1;
  options.cache_folder = "";
  tz_session_t session = nullptr;
  ASSERT_EQ(tz_session_create(&options, &session), nullptr);
  std::string told;
  auto codeOf = [&](tz_status_t status) {
    const int32_t code = tz_status_code(status);
    told = tz_status_message(status);
    tz_status_release(status);
    return code;
  };
  tz_device_t simulator = nullptr, real = nullptr, wrapped = nullptr;
  ASSERT_EQ(codeOf(tz_device_open(session, "mixed:2", &simulator)), TZ_E_OK)
      << told;
  ASSERT_EQ(codeOf(tz_device_open(session, "mixed", &real)), TZ_E_OK) << told;
  tz_device_facts facts{};
  facts.struct_size = sizeof(facts);
  ASSERT_EQ(codeOf(tz_device_describe(simulator, &facts)), TZ_E_OK);
  EXPECT_EQ(facts.simulator, 1u);
  ASSERT_EQ(codeOf(tz_device_describe(real, &facts)), TZ_E_OK);
  EXPECT_EQ(facts.simulator, 0u);

  uint64_t memory = 0;
  EXPECT_EQ(codeOf(tz_memory_alloc_kind(real, TZ_MEM_HOST_PINNED, 64, &memory)),
            TZ_E_OK);
  EXPECT_EQ(codeOf(tz_memory_free(real, memory)), TZ_E_OK);
  EXPECT_EQ(codeOf(tz_memory_alloc_kind(real, 9, 64, &memory)),
            TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(told, HasSubstr("there are TZ_MEM_DEVICE, TZ_MEM_HOST_PINNED"));

  int context = 0;
  std::atomic<int> queue{0};
  tz_native native{sizeof(native), "queue", &context, nullptr, &queue};
  tz_stream_t stream = nullptr;
  tz_event_t event = nullptr;
  EXPECT_EQ(codeOf(tz_stream_wrap_native(real, &native, &stream)),
            TZ_E_INVALID_ARGUMENT);
  ASSERT_EQ(codeOf(tz_device_wrap(session, "mixed", &native, &wrapped)),
            TZ_E_OK)
      << told;
  ASSERT_EQ(codeOf(tz_stream_wrap_native(wrapped, &native, &stream)), TZ_E_OK)
      << told;
  tz_stream_destroy(stream);
  EXPECT_EQ(codeOf(tz_event_wrap(real, &native, &event)), TZ_E_UNIMPLEMENTED);
  native.struct_size = 0;
  EXPECT_EQ(codeOf(tz_device_wrap(session, "mixed", &native, &wrapped)),
            TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(told, HasSubstr("native.struct_size is not set"));
  EXPECT_EQ(codeOf(tz_stream_wrap_native(real, nullptr, &stream)),
            TZ_E_INVALID_ARGUMENT);
  tz_session_destroy(session);
}

TEST_F(Devices, AContextIsOfTheDeviceThatIsNamed) {
  open(half("B"));
  int context = 0;
  tz_native native{sizeof(native), "queue", &context, nullptr, nullptr};
  Plugin &mixed = **registry->find("mixed");
  EXPECT_TRUE(Device::wrap(mixed, 0, native));
  const Status other = Device::wrap(mixed, 1, native).status();
  EXPECT_EQ(other.code(), TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(other.message(), HasSubstr("the context is of 'mixed:a'"));
  EXPECT_THAT(other.message(), HasSubstr("not of mixed:1, 'mixed:b'"));
}

/// Code with a variable, by tz_kernel_load from a file.
TEST_F(Devices, TheCInterfaceReadsAndWritesVariablesOfCode) {
  open(half("A"));
  const char *folders[] = {folder.path.c_str()};
  tz_session_options options{};
  options.struct_size = sizeof(options);
  options.flags = TZ_SESSION_IGNORE_ENVIRONMENT | TZ_SESSION_NO_COMPILER;
  options.plugin_folders = folders;
  options.num_plugin_folders = 1;
  options.cache_folder = "";
  tz_session_t session = nullptr;
  ASSERT_EQ(tz_session_create(&options, &session), nullptr);
  std::string told;
  auto codeOf = [&](tz_status_t status) {
    const int32_t code = tz_status_code(status);
    told = tz_status_message(status);
    tz_status_release(status);
    return code;
  };
  const std::string path =
      folder.write("kernel.tzk", artifact("code")->write());
  tz_kernel_source source{};
  source.struct_size = sizeof(source);
  source.path = path.c_str();
  tz_kernel_t kernel = nullptr;
  ASSERT_EQ(codeOf(tz_kernel_load(session, &source, &kernel)), TZ_E_OK) << told;
  tz_device_t device = nullptr;
  ASSERT_EQ(codeOf(tz_device_open(session, "mixed", &device)), TZ_E_OK) << told;
  tz_stream_t stream = nullptr;
  ASSERT_EQ(codeOf(tz_stream_create(device, &stream)), TZ_E_OK) << told;
  uint64_t sum = 0;
  const tz_arg args[] = {tz_pointer(uint64_t(&sum), TZ_TYPE_I64), tz_i64(3)};
  tz_code_t code = nullptr;
  ASSERT_EQ(codeOf(tz_kernel_compile(kernel, device, args, 2, &code)), TZ_E_OK)
      << told;
  uint64_t address = 0, bytes = 0, value = 0;
  ASSERT_EQ(codeOf(tz_code_global(code, "table", &address, &bytes)), TZ_E_OK)
      << told;
  ASSERT_EQ(bytes, sizeof(value));
  EXPECT_EQ(codeOf(tz_copy_out(stream, &value, address, bytes)), TZ_E_OK);
  EXPECT_EQ(codeOf(tz_stream_sync(stream)), TZ_E_OK);
  EXPECT_EQ(value, 7u);
  value = 11;
  EXPECT_EQ(codeOf(tz_copy_in(stream, address, &value, bytes)), TZ_E_OK);
  EXPECT_EQ(codeOf(tz_stream_sync(stream)), TZ_E_OK);
  uint64_t again = 0;
  ASSERT_EQ(codeOf(tz_code_global(code, "table", &again, &bytes)), TZ_E_OK);
  EXPECT_EQ(again, address) << "all launches share it";
  EXPECT_EQ(*reinterpret_cast<const uint64_t *>(again), 11u);
  EXPECT_EQ(codeOf(tz_code_global(code, "no", &address, &bytes)),
            TZ_E_NOT_FOUND);
  EXPECT_EQ(codeOf(tz_code_global(nullptr, "table", &address, &bytes)),
            TZ_E_INVALID_ARGUMENT);
  tz_kernel_destroy(kernel);
  tz_stream_destroy(stream);
  tz_session_destroy(session);
}

TEST_F(Devices, TheCInterfaceCallsBackBehindAStream) {
  open(half("A"));
  const char *folders[] = {folder.path.c_str()};
  tz_session_options options{};
  options.struct_size = sizeof(options);
  options.flags = TZ_SESSION_IGNORE_ENVIRONMENT | TZ_SESSION_NO_COMPILER;
  options.plugin_folders = folders;
  options.num_plugin_folders = 1;
  options.cache_folder = "";
  tz::Session session(options);
  tz::Stream stream(session.device("mixed"));
  std::atomic<int> calls{0};
  auto keeps = std::make_shared<int>(0);
  stream.callBack([&calls, keeps] { ++calls; });
  stream.sync();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(keeps.use_count(), 1) << "what the function holds ends with it";
  tz_status_t status = tz_stream_call_back(stream.get(), nullptr, nullptr);
  EXPECT_EQ(tz_status_code(status), TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(tz_status_message(status), HasSubstr("fn is NULL"));
  tz_status_release(status);
}

/// Each thread has a stream, a number and a sum of its own.
TEST_F(Devices, ManyThreadsLaunchOneKernel) {
  open(half("A"));
  const std::shared_ptr<Device> a = device();
  auto kernel = std::move(*LoadedKernel::load(a, artifact("code")));
  constexpr unsigned count = 8, launches = 2000;
  std::vector<uint64_t> sums(count);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      auto stream = std::move(*a->createStream());
      const ArgValue args[] = {{TZ_TYPE_PTR, uint64_t(&sums[t])},
                               {TZ_TYPE_I64, t + 1}};
      for (unsigned i = 0; i < launches; ++i) {
        EXPECT_TRUE(kernel->launch(*stream, {1, 1, 1}, args).ok());
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (unsigned t = 0; t < count; ++t) {
    EXPECT_EQ(sums[t], uint64_t{launches} * (t + 1));
  }
}

} // namespace
