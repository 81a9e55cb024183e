//===- PartRecords.cpp - which parts of a kernel a job records ------------===//
//
// What   See PartRecords.h.
// Why    See PartRecords.h.
//===----------------------------------------------------------------------===//
#include "core/driver/options/PartRecords.h"

#include "core/driver/options/NameList.h"

#include "terrazzo/optimizer/TilePipeline.h"

#include "mlir/IR/Builders.h"

namespace tz::driver {

using namespace runtime;

static constexpr llvm::StringLiteral Names[] = {"scopes", "loops", "dots",
                                                "operations"};
static constexpr NameList List = {"records", "part", Names};

std::string partNames() { return List.all(); }

bool recordsParts(const CompileJob &job, const char *kind) {
  return llvm::is_contained(List.of(job), kind);
}

/// A bit for each number of the option `record_warps`; 0: it says nothing.
static Result<uint64_t> warpsOf(const CompileJob &job) {
  uint64_t mask = 0;
  for (const KeyValue &option : job.options) {
    if (option.key != "record_warps") {
      continue;
    }
    llvm::SmallVector<llvm::StringRef> numbers;
    llvm::StringRef(option.str).split(numbers, ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef text : numbers) {
      unsigned number = 0;
      if (text.trim().getAsInteger(10, number) || number > 63) {
        return Status(TZ_E_INVALID_ARGUMENT,
                      "record_warps is a comma list of numbers from 0 to 63");
      }
      mask |= uint64_t(1) << number;
    }
  }
  return mask;
}

Status settlePartRecords(CompileJob &job) {
  if (Result<uint64_t> warps = warpsOf(job); !warps) {
    return warps.takeStatus();
  }
  return List.settle(job);
}

void recordParts(const CompileJob &job, bool asWritten,
                 mlir::Operation *kernel) {
  const std::vector<std::string> names = List.of(job);
  if (names.empty() || !kernel) {
    return;
  }
  mlir::Builder b(kernel->getContext());
  llvm::SmallVector<llvm::StringRef> list(names.begin(), names.end());
  kernel->setAttr("tile.records", b.getStrArrayAttr(list));
  if (Result<uint64_t> warps = warpsOf(job); warps && *warps) {
    kernel->setAttr("tile.record_warps", b.getI64IntegerAttr(int64_t(*warps)));
  }
  if (asWritten) {
    optimizer::recordParts(kernel);
  }
}

} // namespace tz::driver
