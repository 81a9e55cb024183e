//===- LaunchBench.cpp - what a launch costs beside the driver's own ------===//
//
// What   An empty kernel of six arguments, 500 at a time: by the driver's
//        function alone, through the device half, and through the runtime with
//        its launch plan. Prints the median of 41 rounds, taken in turns, and
//        first what it costs to find a descriptor that a launch made before.
// Why    The goal is the driver's own cost plus one microsecond.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/CudaDevice.h"
#include "backends/nvidia/device/TensorMap.h"
#include "backends/nvidia/test/GpuKernels.h"
#include "runtime/launch/LoadedKernel.h"

#include <chrono>

using namespace tz::nvidia;
using namespace tz::runtime;

namespace {

constexpr int Batch = 500, Rounds = 41;

[[noreturn]] void fail(const std::string &text) {
  std::fprintf(stderr, "nvidia-launch-bench: %s\n", text.c_str());
  std::exit(1);
}

template <typename T>
T need(Result<T> result) {
  if (!result) {
    fail(result.status().message());
  }
  return std::move(*result);
}

void need(const Status &status) {
  if (!status.ok()) {
    fail(status.message());
  }
}

constexpr struct {
  uint32_t type, size, offset;
} Slots[] = {{TZ_TYPE_PTR, 8, 0},  {TZ_TYPE_PTR, 8, 8},  {TZ_TYPE_I32, 4, 16},
             {TZ_TYPE_I32, 4, 20}, {TZ_TYPE_I32, 4, 24}, {TZ_TYPE_F32, 4, 28}};

std::shared_ptr<Artifact> emptyKernel() {
  auto code = std::make_shared<Artifact>();
  code->plugin = "nvidia";
  code->function = "empty";
  code->compat = "compute_90";
  code->blobs.push_back({"main", "ptx", tz::nvidia::test::GpuKernels});
  Variant &variant = code->variants.emplace_back();
  variant.name = "empty";
  variant.block = {128, 1, 1};
  variant.argBytes = 32;
  for (uint32_t i = 0; i < std::size(Slots); ++i) {
    ArgInfo arg;
    arg.name = "a" + std::to_string(i);
    arg.kind = TZ_ARG_USER;
    arg.index = i;
    arg.type = Slots[i].type;
    arg.size = arg.align = Slots[i].size;
    arg.offset = Slots[i].offset;
    variant.args.push_back(arg);
    code->userLeaves.push_back(i);
    code->userTypes.push_back(arg.type);
  }
  return code;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

template <typename Body>
double nanosecondsOf(Body body) {
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < Batch; ++i) {
    body();
  }
  std::chrono::duration<double, std::nano> time =
      std::chrono::steady_clock::now() - start;
  return time.count() / Batch;
}

/// Needs no device. The descriptors of sixteen sets of tensors are kept.
void timeDescriptors() {
  constexpr size_t sets = 16;
  const int64_t shape[] = {4096, 4096}, strides[] = {4096, 1};
  EncodedViews known;
  tz_tensor_view view{sizeof(view), 0, 16, 2, shape, strides};
  driver::TensorMap map{};
  for (size_t i = 0; i < sets; ++i) {
    view.base = (i + 1) << 20;
    known.keep(0, view, map);
  }
  for (size_t at : {size_t{1}, sets}) {
    std::vector<double> times;
    view.base = at << 20;
    for (int round = 0; round < Rounds; ++round) {
      times.push_back(nanosecondsOf([&] {
        if (!known.find(0, view, map)) {
          fail("a descriptor that was kept is not found");
        }
      }));
    }
    std::printf("descriptor found as number %2zu  %7.1f ns\n", at,
                median(times));
  }
}

} // namespace

int main() {
  timeDescriptors();
  RegistryOptions options;
  options.readEnvironment = false;
  options.defaultFolders = {"/nonexistent"};
  options.builtins = {{"nvidia", nullptr, tz_plugin_query_v0}};
  Registry registry(options);
  auto device = need(Device::open(*need(registry.find("nvidia")), 0));
  auto stream = need(device->createStream());
  auto kernel = need(LoadedKernel::load(device, emptyKernel()));
  // The same kernel once more for the lower ways, which see no plan.
  const DeviceFunctions &api = device->api();
  tz_module *module = nullptr;
  tz_kernel *code = nullptr;
  std::string text = tz::nvidia::test::GpuKernels;
  tz_blob blob{{"main", 4}, {"ptx", 3}, {text.data(), text.size()}};
  const tz_module_desc desc{sizeof(desc), nullptr, &blob, 1, nullptr, nullptr};
  need(device->check(api.module_load(device->handle(), &desc, &module)));
  need(device->check(api.kernel_get(module, {"empty", 5}, &code)));

  alignas(128) unsigned char packed[32] = {};
  size_t bytes = sizeof(packed);
  void *extra[] = {driver::ParamBufferPointer, packed, driver::ParamBufferSize,
                   &bytes, driver::ParamEnd};
  driver::LaunchConfig config{};
  config.grid[0] = config.grid[1] = config.grid[2] = 1;
  config.block[0] = 128;
  config.block[1] = config.block[2] = 1;
  config.stream = stream->handle()->native;
  tz_launch request{};
  request.struct_size = sizeof(request);
  request.grid[0] = request.grid[1] = request.grid[2] = 1;
  request.block[0] = 128;
  request.block[1] = request.block[2] = 1;
  request.args = packed;
  request.args_size = bytes;
  std::vector<ArgValue> args(6);
  for (size_t i = 0; i < args.size(); ++i) {
    args[i].type = Slots[i].type;
    args[i].bits = 16;
  }
  const Driver &lib = code->module.device.driver;
  ContextScope scope(code->module.device); // as a program that uses the driver

  std::vector<double> times[3];
  auto run = [&](std::vector<double> &into, auto body) {
    into.push_back(nanosecondsOf(body));
    need(stream->synchronize());
  };
  for (int round = 0; round < Rounds + 3; ++round) {
    if (round == 3) { // warm
      for (auto &list : times) {
        list.clear();
      }
    }
    run(times[0], [&] {
      if (lib.launchKernelEx(&config, code->function, nullptr, extra) !=
          driver::Success) {
        fail("the driver refused the launch");
      }
    });
    run(times[1], [&] {
      if (tz_error *error = api.launch(stream->handle(), code, &request)) {
        need(device->check(error));
      }
    });
    run(times[2], [&] { need(kernel->launch(*stream, {1, 1, 1}, args)); });
  }
  double own = median(times[0]);
  std::printf("%s, %s\n", device->name().c_str(),
              device->driverVersion().c_str());
  std::printf("driver's own launch   %7.1f ns\n", own);
  std::printf("device half           %7.1f ns  %+.1f\n", median(times[1]),
              median(times[1]) - own);
  std::printf("runtime, with plan    %7.1f ns  %+.1f\n", median(times[2]),
              median(times[2]) - own);
  api.module_unload(module);
  return 0;
}
