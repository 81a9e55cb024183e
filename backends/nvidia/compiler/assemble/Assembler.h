//===- Assembler.h - from PTX to machine code -----------------------------===//
//
// What   Runs ptxas, if it is found, with a time limit, else nvJitLink; what it
//        says.
// Why    Without either the driver compiles PTX when a module is loaded, which
//        takes longer at the worst moment and says nothing about registers.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_ASSEMBLE_ASSEMBLER_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_ASSEMBLE_ASSEMBLER_H

#include "terrazzo/plugin.h"
#include "terrazzo/plugin/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tz::nvidia {

struct Assembled {
  std::string cubin;
  unsigned registers = 0, spillBytes = 0;
  std::vector<std::string> warnings; // "Potential Performance Loss" ...
  std::vector<std::string> refusals; // of choices before this one
};

/// The code was refused, or took too long: no fault of the machine.
struct AssemblerError : plugin::Failure {
  using plugin::Failure::Failure;
};

/// TERRAZZO_PTXAS ("none": not to be used), TRITON_PTXAS_PATH, PATH, then the
/// toolkit's usual place; empty: none.
std::string findPtxas();

/// What assembles here, and which build of it, for cache keys.
std::string assemblerIdentity();

/// One way to assemble a kernel.
struct AssemblerChoice {
  std::string text;
  unsigned registers; // that a thread may have
  bool holds = false; // registers for loads, which others do without
  unsigned blocks = 1, threads = 0; // so many blocks of so many threads fit
  unsigned cheapSpills = 0;  // bytes of spills that twice the blocks outweigh
  unsigned slightSpills = 0; // and that one block more does
  // Code that takes all it may have, and with the last choice so many registers
  // or more, up to 64, is better with those; 0: no.
  unsigned cramped = 0;
};

/// Assembles the texts of a kernel, with ptxas or nvJitLink, from any thread.
class Assembler {
public:
  /// What was made of the same text before is taken from the host's cache.
  Assembler(llvm::StringRef cpu, const tz_host *host);
  ~Assembler();

  /// So many texts may come soon: processes get ready, if cores are idle.
  void expect(size_t texts);

  /// How many of such choices are assembled at once: all of a long text, where
  /// cores have nothing to do.
  static size_t atOnce(size_t choices, size_t bytes);

  /// Machine code of the first choice that is not refused, needs no spills and
  /// has registers enough for products that overlap; else of the first without
  /// spills, else of the last one. `taken` says which. A choice is passed over
  /// where the spills of the one before say that its registers are too few; it
  /// is taken after all if the last one took but few more, for fewer blocks,
  /// and in the place of one that is cramped. None if there is neither ptxas
  /// nor nvJitLink. Throws AssemblerError.
  std::optional<Assembled> best(llvm::ArrayRef<AssemblerChoice> choices,
                                size_t &taken);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_ASSEMBLE_ASSEMBLER_H
