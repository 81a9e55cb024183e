//===- KnownVendors.h - names that the language fixes per vendor *- C++ -*-===//
//
// What   For each vendor's folder: its backend's name in the language, the
//        questions of tl.target_info that it answers with yes, and what the
//        language calls the stages of its compiler.
// Why    Kernels ask by name; the names are data of the vendors' folders
//        (language.json), known whether or not the vendor is built (R13).
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_KNOWNVENDORS_H
#define TERRAZZO_CORE_FRONTEND_KNOWNVENDORS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tz::frontend {

struct VendorQuestion {
  const char *name;
  const char *machines; // separated by blanks; empty: all
};

struct KnownVendor {
  const char *folder; // the part of a target before the colon
  const char *backend;
  int warpSize;
  const char *warpSizes; // of other machines: "size=beginning of a name"
  const char *atLeast;   // the question with (major, minor), or empty
  const char *options;   // of compiling that its targets alone have
  // Functions of extra.<backend> that may do nothing, "module.function": they
  // are in that module of it, too.
  const char *hints;
  const char *counts; // its constants "name=factor": times num_warps
  const char *stages; // "name=ours", separated by blanks
  llvm::ArrayRef<VendorQuestion> questions;
};

/// Made from the vendors' language.json by EmbedTargets.cmake.
llvm::ArrayRef<KnownVendor> knownVendors();

/// The number in a machine's name: "xy_90a" is 90.
int64_t machineNumber(llvm::StringRef machine);

/// Lanes of a warp of this machine: by its architecture where the vendor says
/// so, else the vendor's.
int warpSizeOf(const KnownVendor &vendor, llvm::StringRef machine);

/// What `target` ("vendor:machine") answers to a question of tl.target_info;
/// `atLeast`: the number that questions with (major, minor) ask for. Nothing:
/// no vendor has this question.
std::optional<bool> answerOf(llvm::StringRef target, llvm::StringRef question,
                             int64_t atLeast = 0);

/// A stage of a compiler: its name in the language, our name.
struct KnownStage {
  std::string name, ours;
};
/// Those that every target has, and those of the vendor with this folder; of
/// all vendors if it is empty.
std::vector<KnownStage> knownStages(llvm::StringRef folder);

/// Kernels for several vendors name the options of each; on a target that lacks
/// one it means nothing (P24).
inline bool isVendorOption(llvm::StringRef name) {
  return llvm::any_of(knownVendors(), [&](const KnownVendor &vendor) {
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(vendor.options).split(names, ' ');
    return llvm::is_contained(names, name);
  });
}

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_KNOWNVENDORS_H
