//===- KernelFunction.h - a kernel function and its specialisations -------===//
//
// What   The source (or an artifact), its parameters, and a table from what
//        arguments look like to the code for them.
// Why    A launch of a known specialisation reads the table without a lock;
//        entries are only ever added. Different specialisations are compiled at
//        the same time, one of them by one thread.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_SESSION_KERNELFUNCTION_H
#define TERRAZZO_RUNTIME_SESSION_KERNELFUNCTION_H

#include "runtime/launch/LoadedKernel.h"
#include "runtime/session/LaunchSlots.h"
#include "runtime/session/RuntimeSession.h"

#include <condition_variable>
#include <deque>

namespace tz::runtime {

/// The value is read when the kernel is loaded.
struct NamedConstant {
  std::string name;
  tz_arg value;
};

struct KernelRequest {
  KernelSource source;
  std::vector<NamedConstant> constants;
  std::vector<KeyValue> options;
};

class KernelFunction;

/// What launches with certain arguments run, for programs that look at it.
/// Lives as long as its kernel. [thread: any]
class Code {
public:
  const Artifact &compiled() const { return *artifact; }
  /// IR, an emitted text, or a part of the artifact by its name or format.
  Result<std::string_view> stage(const std::string &name);
  const std::string &hash();
  /// Address and bytes of a variable of the machine code's own.
  Result<std::pair<tz_dptr, uint64_t>> global(std::string_view name) const;
  /// What is done through an argument of the launch; null: a part of another
  /// argument, or an artifact from a file.
  const PointerUse *use(size_t argument) const {
    return uses && argument < uses->size() && (*uses)[argument].isKnown
               ? &(*uses)[argument]
               : nullptr;
  }

private:
  friend class KernelFunction;
  KernelFunction *kernel = nullptr;
  std::shared_ptr<const Artifact> artifact;
  std::unique_ptr<LoadedKernel> loaded;
  std::vector<ArgumentSpec> arguments; // empty: of an artifact from a file
  const std::vector<PointerUse> *uses = nullptr; // one per argument
  std::mutex lock;
  std::map<std::string, std::string> stages;
  std::string hashText;
};

/// [thread: any]; a launch on one stream by one thread at a time.
class KernelFunction {
public:
  static Result<std::unique_ptr<KernelFunction>> load(Session &session,
                                                      KernelRequest request);
  ~KernelFunction();

  const std::string &name() const { return signature.function; }
  /// Names of the parameters that a launch gives.
  const std::vector<std::string> &openParameters() const { return openNames; }
  /// `used`, if given, is the code that runs.
  Status launch(Stream &stream, const std::array<int64_t, 3> &grid,
                std::span<const tz_arg> args, Code **used = nullptr);
  /// The code that a launch with these arguments would run.
  Result<Code *> compile(const std::shared_ptr<Device> &device,
                         std::span<const tz_arg> args);
  /// Code for a target ("plugin:model") whose device need not be here: to be
  /// looked at, never launched. Each call makes one.
  Result<Code *> compileFor(std::string_view target,
                            std::span<const tz_arg> args);
  /// Code for a file: all of it is made, whatever a launch may never run.
  Result<std::shared_ptr<const Artifact>>
  compileAhead(const std::shared_ptr<Device> &device,
               std::span<const tz_arg> args);
  /// What compile() would give if it is there already, else null.
  Result<Code *> findCode(const std::shared_ptr<Device> &device,
                          std::span<const tz_arg> args);

private:
  friend class Code;
  struct Specialization;
  struct Shape;
  using Bits = std::array<uint64_t, 2 * MaxLaunchArgs / 64>;

  KernelFunction(Session &session, KernelRequest request);
  Status initialize();
  Status initializeFromArtifact(std::string_view bytes);
  Status bindParameters();
  Status checkCount(size_t given) const;
  /// The slots of so many arguments as the kernel takes.
  Status spread(std::span<const tz_arg> args, SlotBuffer &buffer,
                Slots &to) const;
  /// That no pointer which the code follows is 0.
  Status checkArrays(const Code &code, const Slots &slots) const;
  Result<Specialization *> find(const std::shared_ptr<Device> &device,
                                const Slots &slots, size_t given);
  /// `makes`: compiles it if it is not there.
  Result<Code *> codeFor(const std::shared_ptr<Device> &device,
                         std::span<const tz_arg> args, bool makes);
  uint64_t hashOf(const Device &device, const Slots &slots) const;
  static Bits bitsOf(const Shape &shape, const Slots &slots, uint64_t &hash);
  /// Among all. Needs the lock.
  Specialization *findListed(const Shape &shape, const Bits &bits) const;
  /// The code for these arguments if it is there, else null.
  Specialization *findKnown(const Device &device, const Slots &slots);
  Status awaitOthers(std::unique_lock<std::mutex> &guard, Device &device,
                     const Shape &shape, const Bits &bits);
  Result<Specialization *> specialize(const std::shared_ptr<Device> &device,
                                      const Slots &slots, size_t given);
  Result<Specialization *> match(const std::shared_ptr<Device> &device,
                                 const Slots &slots, size_t given);
  /// Repeat.cpp
  Specialization *findRecent(const Device &device,
                             std::span<const tz_arg> args) const;
  void remember(Specialization &known);
  /// A fault of this code, with its place in the source.
  Status locate(Status fault, const Specialization &code) const;
  /// `repeats`: a launch before had arguments of these types.
  Status start(Specialization &code, Stream &stream,
               const std::array<int64_t, 3> &grid, const Slots &slots,
               bool repeats);
  /// The same where launches are captured.
  Status startCaptured(Specialization &code, Stream &stream,
                       const std::array<int64_t, 3> &grid, const Slots &slots,
                       bool repeats);
  Status startNow(Specialization &code, Stream &stream,
                  const std::array<int64_t, 3> &grid, const Slots &slots,
                  bool repeats);
  Status checkFit(const Slots &slots, size_t given) const;
  bool isShape(const Shape &shape, uint64_t hash, const Device &device,
               const Slots &slots) const;
  Shape *findShape(uint64_t hash, const Device &device,
                   const Slots &slots) const;
  Shape *findListedShape(uint64_t hash, const Device &device,
                         const Slots &slots) const;
  Result<std::unique_ptr<Shape>>
  makeShape(uint64_t hash, const std::shared_ptr<Device> &device,
            const Slots &slots, size_t given) const;
  Shape *addShape(std::unique_ptr<Shape> shape);
  Result<std::unique_ptr<Specialization>>
  makeSpecialization(Shape &shape, const Bits &bits, const Slots &slots);
  /// Not loaded yet.
  Result<std::unique_ptr<Specialization>>
  compileSpecialization(Shape &shape, const Bits &bits, const Slots &slots,
                        const std::string &plugin, const std::string &target);
  CompileJob jobFor(const std::vector<ArgumentSpec> &arguments,
                    const std::string &plugin, const std::string &target) const;
  std::vector<uint32_t>
  slotsOfLeaves(const std::vector<ArgumentSpec> &arguments, size_t given) const;
  Result<std::unique_ptr<LoadedKernel>>
  loadOn(const std::shared_ptr<Device> &device,
         std::shared_ptr<const Artifact> artifact);
  bool isConstant(const Slots &slots, size_t slot) const {
    return openConstexpr[slots.owner(slot)] || isConstexpr(slots[slot]);
  }

  Session &session;
  KernelRequest request;
  KernelSignature signature;
  std::vector<ArgumentSpec> bound; // one per parameter
  std::vector<uint32_t> open;      // parameters that a launch gives
  std::vector<std::string> openNames;
  std::vector<bool> openConstexpr;
  size_t required = 0; // open parameters without a default
  std::shared_ptr<const Artifact> fixedArtifact; // loaded from a file
  std::atomic<Specialization *> lastMatch{nullptr};

  /// Codes that launches ran, the first free entry at the end.
  std::array<std::atomic<Specialization *>, 4> recent{};
  std::atomic<uint32_t> nextRecent{0};
  static constexpr size_t TableSize = 256;
  std::array<std::atomic<Shape *>, TableSize> table{};
  std::mutex lock;
  std::condition_variable compiled;
  /// Being compiled, by some thread without the lock.
  std::vector<std::pair<const Shape *, Bits>> pending;
  std::deque<std::unique_ptr<Shape>> shapes;
  std::deque<std::unique_ptr<Specialization>> specializations;
  size_t tableUsed = 0;
};

} // namespace tz::runtime

#endif
