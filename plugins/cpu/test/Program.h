//===- Program.h - A kernel given as text, compiled and loaded ------------===//
//
// What   Text of tile IR in, a function that runs it on the calling thread out.
// Why    Tests of the compiler half run what it makes.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_TEST_PROGRAM_H
#define TERRAZZO_PLUGINS_CPU_TEST_PROGRAM_H

#include "plugins/cpu/KernelEntry.h"
#include "plugins/cpu/compiler/CpuCodeGen.h"
#include "plugins/cpu/compiler/lower/CpuLowering.h"
#include "plugins/cpu/device/CpuInfo.h"
#include "plugins/cpu/device/ElfObject.h"

#include "terrazzo/plugin.h"

#include "mlir/Parser/Parser.h"

#include <cstring>
#include <ctime>
#include <random>

namespace tz::cpu::test {

/// Of this thread's own work: others on the machine do not count.
inline double threadSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// "cpu", and each plain level that this machine runs.
inline std::vector<std::string> targetsThatRun() {
  std::vector<std::string> targets{"cpu"};
  for (const char *level :
       {"cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4"}) {
    if (whyNotRun(CpuMachine::host(), level) == "") {
      targets.emplace_back(level);
    }
  }
  return targets;
}

/// What the compiler refused. Unlike Unsupported it outlives the context that
/// its location belongs to.
class Refused : public std::runtime_error {
public:
  explicit Refused(const Unsupported &why)
      : std::runtime_error(why.what()),
        hasLine(mlir::isa<mlir::FileLineColLoc>(why.location)) {}
  bool hasLine;
};

/// One compiled kernel; arguments are appended in order.
class Program {
public:
  /// Without a target: the environment's TZ_TEST_TARGET, or this machine.
  explicit Program(const char *text, const char *target = nullptr) {
    if (!target) {
      target = getenv("TZ_TEST_TARGET");
      target = target ? target : "cpu";
    }
    mlir::DialectRegistry registry;
    tz::tile::registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(
        text, mlir::ParserConfig(&context), "kernel.mlir");
    if (!module) {
      throw std::runtime_error("the test's IR does not parse");
    }
    tile::KernelOp kernel = this->kernel();
    CompileOptions options;
    options.wantLLVM = getenv("TZ_TEST_SHOW") != nullptr;
    options.wantAsm = options.wantLLVM;
    const double start = threadSeconds();
    try {
      compiled = compileKernel(kernel, *parseTarget(target), options);
    } catch (const Unsupported &why) {
      throw Refused(why);
    }
    compileSeconds = threadSeconds() - start;
    if (options.wantLLVM) {
      fprintf(stderr, "%s\n%s\n", compiled.llvm.c_str(),
              compiled.assembly.c_str());
    }
    std::string error;
    object = ElfObject::load(
        {reinterpret_cast<const std::byte *>(compiled.object.data()),
         compiled.object.size()},
        error);
    if (!object) {
      throw std::runtime_error(error);
    }
    entry = reinterpret_cast<tz_cpu_entry>(const_cast<std::byte *>(
        object->find(kernel.getSymName().str())->address));
    arena.resize(compiled.arenaBytes + 64);
    arguments.resize(compiled.argumentBytes + 64);
  }

  template <typename T>
  Program &arg(T value) {
    std::memcpy(arguments.data() + compiled.argumentOffsets[count++], &value,
                sizeof value);
    return *this;
  }
  Program &bits(uint64_t value, unsigned bytes) {
    std::memcpy(arguments.data() + compiled.argumentOffsets[count++], &value,
                bytes);
    return *this;
  }
  tile::KernelOp kernel() { return *module->getOps<tile::KernelOp>().begin(); }
  /// Of the last runs: the header and the ring of print and assert.
  std::vector<uint64_t> log;
  void run(uint32_t x, uint32_t y = 1, uint32_t z = 1) {
    if (compiled.usesLog) {
      log.assign(4096, 0);
      tz_log_header header{};
      header.capacity = log.size() * 8 - sizeof header;
      std::memcpy(log.data(), &header, sizeof header);
      void *at = log.data();
      std::memcpy(arguments.data() + compiled.logOffset, &at, sizeof at);
    }
    uint32_t grid[3] = {x, y, z};
    auto at = reinterpret_cast<uintptr_t>(arena.data());
    void *aligned = reinterpret_cast<void *>((at + 63) / 64 * 64);
    static const uint32_t never = 0;
    tz_cpu_run run{&never, nullptr, 0};
    entry(arguments.data(), grid, 0, int64_t{x} * y * z, aligned, &run);
    count = 0;
  }
  CompiledKernel compiled;
  double compileSeconds = 0;

private:
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<ElfObject> object;
  tz_cpu_entry entry = nullptr;
  std::vector<char> arena;
  alignas(64) std::vector<char> arguments;
  size_t count = 0;
};

inline std::vector<float> noise(size_t n, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(n);
  for (float &v : values) {
    v = uniform(engine);
  }
  return values;
}

} // namespace tz::cpu::test

#endif
