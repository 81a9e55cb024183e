//===- FakeKernels.cpp - modules and launches of the fake driver ----------===//
//
// What   Kernels are those that a text names:
//
//          \177ELF or .version ..., then lines
//          arch 90                 the capability that the code is for
//          kernel NAME regs=R shared=S threads=T params=8,8,4
//          global NAME BYTES
//          error TEXT              the compiler refuses it with this log
//
//        The kernel "add" adds, "fault" makes the context fail from the next
//        call on, any other does nothing.
// Why    See FakeDriver.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/test/FakeState.h"

#include <algorithm>
#include <cstring>
#include <sstream>

using namespace tz::nvidia::driver;
using namespace tz::nvidia::test;

/// "regs=32" of a kernel's line.
static void readKernel(std::istringstream &line, FunctionObject &f) {
  for (std::string word; line >> word;) {
    size_t equal = word.find('=');
    std::string key = word.substr(0, equal), value = word.substr(equal + 1);
    if (key == "params") {
      std::istringstream list(value);
      for (std::string one; std::getline(list, one, ',');) {
        f.params.push_back(std::stoul(one));
      }
    } else {
      (key == "regs"     ? f.registers
       : key == "shared" ? f.shared
                         : f.threads) = std::stoi(value);
    }
  }
  f.dynamicLimit = FakeShared - f.shared;
}

FAKE_API Result cuModuleLoadDataEx(Module *out, const void *image,
                                   unsigned count, JitOption *options,
                                   void **values) {
  ENTER_CONTEXT(cuModuleLoadDataEx)
  REQUIRE(mayPrepare(), StreamCaptureUnsupported)
  std::string text(static_cast<const char *>(image));
  bool machine = text.compare(0, 4, "\177ELF") == 0;
  REQUIRE(machine || text.compare(0, 8, ".version") == 0, InvalidImage)
  auto module = std::make_unique<ModuleObject>();
  module->context = current.back();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, name;
    words >> kind >> name;
    if (kind == "arch") {
      int arch = std::stoi(name), own = state().control.capability;
      REQUIRE(machine ? arch / 10 == own / 10 && arch <= own : arch <= own,
              NoBinaryForGpu)
    } else if (kind == "kernel") {
      auto function = std::make_unique<FunctionObject>();
      function->name = name;
      readKernel(words, *function);
      module->functions[name] = std::move(function);
    } else if (kind == "global") {
      size_t bytes = 0;
      words >> bytes;
      module->globals[name].resize(bytes);
    } else if (kind == "error") {
      for (unsigned i = 0; i < count; ++i) {
        if (options[i] == JitErrorLog) {
          std::strcpy(static_cast<char *>(values[i]),
                      "ptxas application ptx input, line 7; error   : Unknown "
                      "symbol 'foo'\nptxas fatal   : Ptx assembly aborted\n");
        }
      }
      return InvalidPtx;
    }
  }
  *out = module.release();
  state().modules.insert(*out);
  ++state().control.modules;
  return Success;
}

FAKE_API Result cuModuleUnload(Module module) {
  ENTER_CONTEXT(cuModuleUnload)
  REQUIRE(state().modules.erase(module), InvalidHandle)
  delete module;
  --state().control.modules;
  return Success;
}

FAKE_API Result cuModuleGetFunction(Function *out, Module module,
                                    const char *name) {
  ENTER_CONTEXT(cuModuleGetFunction)
  REQUIRE(state().modules.count(module), InvalidHandle)
  auto it = module->functions.find(name);
  if (it == module->functions.end() && state().control.idle) {
    it = module->functions.emplace(name, new FunctionObject{name}).first;
  }
  REQUIRE(it != module->functions.end(), NotFound)
  *out = it->second.get();
  return Success;
}

FAKE_API Result cuModuleGetGlobal_v2(Pointer *out, size_t *size, Module module,
                                     const char *name) {
  ENTER_CONTEXT(cuModuleGetGlobal_v2)
  REQUIRE(state().modules.count(module), InvalidHandle)
  auto it = module->globals.find(name);
  REQUIRE(it != module->globals.end(), NotFound)
  *out = reinterpret_cast<Pointer>(it->second.data());
  *size = it->second.size();
  return Success;
}

FAKE_API Result cuFuncGetAttribute(int *value, FunctionAttribute which,
                                   Function f) {
  ENTER_CONTEXT(cuFuncGetAttribute)
  *value = which == FunctionRegisters     ? f->registers
           : which == FunctionSharedBytes ? f->shared
           : which == FunctionMaxThreads  ? f->threads
                                          : 0;
  return Success;
}

FAKE_API Result cuFuncSetAttribute(Function f, FunctionAttribute which,
                                   int value) {
  ENTER_CONTEXT(cuFuncSetAttribute)
  if (which == FunctionMaxDynamicShared) {
    REQUIRE(value + f->shared <= FakeOptin, InvalidValue)
    f->dynamicLimit = value;
  } else {
    f->largeCluster = value != 0;
  }
  state().control.functionAttributes[{f, which}] = value;
  return Success;
}

/// As on capability 9.0: parameters begin at 0x210 of their bank, and what has
/// 128 bytes is aligned there.
static size_t paramOffset(const FunctionObject &f, size_t index) {
  constexpr size_t begin = 0x210;
  size_t at = begin;
  for (size_t i = 0; i <= index; ++i) {
    size_t size = f.params[i];
    at = (at + size - 1) / size * size;
    at += i < index ? size : 0;
  }
  return at - begin;
}

FAKE_API Result cuFuncGetParamInfo(Function f, size_t index, size_t *offset,
                                   size_t *size) {
  ENTER_CONTEXT(cuFuncGetParamInfo)
  REQUIRE(index < f->params.size(), InvalidValue)
  *offset = paramOffset(*f, index);
  *size = f->params[index];
  return Success;
}

//===--- Launches ---------------------------------------------------------===//

FAKE_API Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out,
                                                            Function f,
                                                            int threads,
                                                            size_t shared) {
  ENTER_CONTEXT(cuOccupancyMaxActiveBlocksPerMultiprocessor)
  REQUIRE(threads > 0 && shared <= size_t(f->dynamicLimit), InvalidValue)
  *out = std::min(2048 / threads, FakeRegisters / (f->registers * threads));
  return Success;
}

FAKE_API Result cuOccupancyMaxActiveClusters(int *out, Function,
                                             const LaunchConfig *config) {
  ENTER_CONTEXT(cuOccupancyMaxActiveClusters)
  REQUIRE(config->numAttributes == 1 &&
              config->attributes[0].id == LaunchClusterDimension &&
              config->grid[0] % config->attributes[0].value.cluster[0] == 0,
          InvalidValue)
  *out = 66;
  return Success;
}

/// A real kernel, to see that packed arguments arrive.
static void add(const unsigned char *args) {
  const float *x, *y;
  float *out;
  int n;
  std::memcpy(&x, args, 8);
  std::memcpy(&y, args + 8, 8);
  std::memcpy(&out, args + 16, 8);
  std::memcpy(&n, args + 24, 4);
  for (int i = 0; i < n; ++i) {
    out[i] = x[i] + y[i];
  }
}

static void readAttributes(const LaunchConfig &config, FakeLaunch &launch) {
  for (unsigned i = 0; i < config.numAttributes; ++i) {
    const LaunchAttribute &a = config.attributes[i];
    if (a.id == LaunchClusterDimension) {
      std::memcpy(launch.cluster, a.value.cluster, sizeof(launch.cluster));
    } else if (a.id == LaunchCooperative) {
      launch.cooperative = a.value.flag;
    }
  }
}

FAKE_API Result cuLaunchKernelEx(const LaunchConfig *config, Function f,
                                 void **params, void **extra) {
  if (state().control.idle) {
    return Success;
  }
  ENTER_CONTEXT(cuLaunchKernelEx)
  REQUIRE(isKnown(config->stream), InvalidHandle)
  FakeLaunch launch{};
  launch.kernel = f->name;
  unsigned blocks = 1, threads = 1, cluster = 1;
  launch.cluster[0] = launch.cluster[1] = launch.cluster[2] = 1;
  readAttributes(*config, launch);
  for (int i = 0; i < 3; ++i) {
    launch.grid[i] = config->grid[i];
    launch.block[i] = config->block[i];
    REQUIRE(launch.grid[i] && launch.block[i], InvalidValue)
    REQUIRE(i == 0 || launch.grid[i] <= FakeGridYZ, InvalidValue)
    REQUIRE(launch.grid[i] % launch.cluster[i] == 0, InvalidClusterSize)
    blocks *= launch.grid[i];
    threads *= launch.block[i];
    cluster *= launch.cluster[i];
  }
  REQUIRE(threads <= 1024, InvalidValue)
  REQUIRE(int(threads) <= f->threads &&
              threads * unsigned(f->registers) <= unsigned(FakeRegisters),
          LaunchOutOfResources)
  REQUIRE(cluster <= 8 || f->largeCluster, InvalidClusterSize)
  REQUIRE(int(config->dynamicShared) <= f->dynamicLimit, InvalidValue)
  REQUIRE(!launch.cooperative || blocks <= unsigned(FakeUnits),
          CooperativeLaunchTooLarge)
  launch.dynamicShared = config->dynamicShared;
  launch.stream = config->stream;
  size_t bytes = f->params.empty()
                     ? 0
                     : paramOffset(*f, f->params.size() - 1) + f->params.back();
  launch.args.resize(bytes);
  if (params) {
    for (size_t i = 0; i < f->params.size(); ++i) {
      std::memcpy(&launch.args[paramOffset(*f, i)], params[i], f->params[i]);
    }
  } else if (extra) {
    REQUIRE(extra[0] == ParamBufferPointer && extra[2] == ParamBufferSize &&
                extra[4] == ParamEnd,
            InvalidValue)
    REQUIRE(*static_cast<size_t *>(extra[3]) == bytes, LaunchOutOfResources)
    std::memcpy(launch.args.data(), extra[1], bytes);
  } else {
    REQUIRE(bytes == 0, InvalidValue)
  }
  if (state().control.launched) {
    state().control.launched(f->name.c_str());
  }
  if (f->name == "add") {
    add(launch.args.data());
  } else if (f->name == "fault") {
    current.back()->fault = IllegalAddress;
  }
  state().control.launches.push_back(std::move(launch));
  return Success;
}

/// Leaves everything where a test can read it.
FAKE_API Result cuTensorMapEncodeTiled(
    TensorMap *map, TensorElement element, uint32_t rank, void *base,
    const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
    const uint32_t *steps, int interleave, TensorSwizzle swizzle,
    TensorPromotion promotion, TensorFill fill) {
  ENTER_CONTEXT(cuTensorMapEncodeTiled)
  REQUIRE(interleave == 0 && reinterpret_cast<Pointer>(map) % 64 == 0,
          InvalidValue)
  map->words[0] = reinterpret_cast<uint64_t>(base);
  map->words[1] = unsigned(element) | rank << 8 | unsigned(swizzle) << 16 |
                  unsigned(promotion) << 24;
  map->words[2] = unsigned(fill);
  for (uint32_t i = 0; i < rank; ++i) {
    REQUIRE(steps[i] == 1 && dims[i] >= 1, InvalidValue)
    map->words[3 + i] = dims[i];
    map->words[12] |= uint64_t(box[i] - 1) << (8 * i);
    if (i + 1 < rank) {
      REQUIRE(strides[i] % 16 == 0, InvalidValue)
      map->words[8 + i] = strides[i];
    }
  }
  return Success;
}
