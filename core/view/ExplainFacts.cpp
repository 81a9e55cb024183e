//===- ExplainFacts.cpp - what became of a kernel -------------------------===//
//
// What   See Explain.h.
// Why    Reads IR and artifacts; ExplainCommand.cpp reads the command line
//        and prints.
//===----------------------------------------------------------------------===//
#include "core/frontend/Diagnostics.h"
#include "core/view/Explain.h"

#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

namespace tz::tool {

using namespace runtime;

//===----------------------------------------------------------------------===//
// By line
//===----------------------------------------------------------------------===//

/// "64x32xf16" or "f32".
static std::string typeText(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t extent : tile::shapeOf(type)) {
    os << extent << 'x';
  }
  os << tile::elementType(type);
  return text;
}

static std::string checksText(llvm::ArrayRef<bool> checked) {
  std::string which;
  unsigned count = 0;
  for (auto [d, isChecked] : llvm::enumerate(checked)) {
    if (isChecked) {
      which += (count++ ? ", " : "") + std::to_string(d);
    }
  }
  return count == 0 ? "no bounds checked"
                    : (count == 1 ? "bounds checked in dimension "
                                  : "bounds checked in dimensions ") +
                          which;
}

/// What an op does with memory or a matrix unit; empty for all others.
static std::string factOf(mlir::Operation *op) {
  auto pointers = [](bool isMasked) {
    return std::string("through pointers, ") +
           (isMasked ? "masked" : "no mask");
  };
  return llvm::TypeSwitch<mlir::Operation *, std::string>(op)
      .Case([&](tile::LoadOp load) {
        return "load of " + typeText(load.getResult().getType()) + ": " +
               pointers(bool(load.getMask()));
      })
      .Case([&](tile::StoreOp store) {
        return "store of " + typeText(store.getValue().getType()) + ": " +
               pointers(bool(store.getMask()));
      })
      .Case([&](tile::LoadViewOp load) {
        return "load of " + typeText(load.getResult().getType()) +
               ": a block of a view, " + checksText(load.getChecked());
      })
      .Case([&](tile::StoreViewOp store) {
        return "store of " + typeText(store.getValue().getType()) +
               ": a block of a view, " + checksText(store.getChecked());
      })
      .Case([&](tile::AtomicRMWOp atomic) {
        return "atomic " + tile::stringifyAtomicKind(atomic.getKind()).str() +
               " of " + typeText(atomic.getValue().getType()) + ": " +
               pointers(bool(atomic.getMask()));
      })
      .Case([&](tile::DotOp dot) {
        return "dot of " + typeText(dot.getA().getType()) + " and " +
               typeText(dot.getB().getType()) + " into " +
               typeText(dot.getAcc().getType()) + ", precision " +
               tile::stringifyPrecision(dot.getPrecision()).str();
      })
      .Default([](mlir::Operation *) { return std::string(); });
}

/// The place in a file of the user: of the op, or of the call that leads to
/// it.
static std::pair<std::string, uint32_t> userPlace(mlir::Location location) {
  std::pair<std::string, uint32_t> first;
  location->walk([&](mlir::Location part) {
    if (auto file = llvm::dyn_cast<mlir::FileLineColRange>(part);
        file && !file.getFilename().getValue().starts_with("<")) {
      first = {file.getFilename().str(), file.getStartLine()};
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return first;
}

std::vector<ExplainedLine>
explainLines(mlir::ModuleOp module,
             const std::vector<optimizer::Remark> &remarks,
             const driver::Sources &sources) {
  std::map<std::pair<std::string, uint32_t>, ExplainedLine> lines;
  std::map<std::pair<std::string, uint32_t>,
           std::vector<std::pair<std::string, unsigned>>>
      counted;
  module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    std::string fact = factOf(op);
    if (fact.empty()) {
      return;
    }
    auto &here = counted[userPlace(op->getLoc())];
    auto known =
        llvm::find_if(here, [&](const auto &one) { return one.first == fact; });
    if (known == here.end()) {
      here.emplace_back(std::move(fact), 1);
    } else {
      ++known->second;
    }
  });
  for (const auto &[place, facts] : counted) {
    for (const auto &[fact, count] : facts) {
      lines[place].facts.push_back(
          count == 1 ? fact : fact + " (" + std::to_string(count) + " copies)");
    }
  }
  for (const optimizer::Remark &remark : remarks) {
    lines[userPlace(remark.location)].remarks.push_back(
        {remark.pass, remark.message});
  }
  std::vector<ExplainedLine> result;
  for (auto &[place, line] : lines) {
    std::tie(line.file, line.line) = place;
    for (const auto &source : sources) {
      if (source->path() == place.first) {
        line.text = source->line(place.second).str();
      }
    }
    result.push_back(std::move(line));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Of the artifact
//===----------------------------------------------------------------------===//

static std::string axes(const std::array<uint32_t, 3> &sizes) {
  auto one = [](uint32_t size) { return std::to_string(std::max(size, 1u)); };
  return one(sizes[0]) + ", " + one(sizes[1]) + ", " + one(sizes[2]);
}

Facts planOf(const Variant &variant) {
  Facts facts;
  std::string grid;
  for (int axis = 0; axis < 3; ++axis) {
    grid += (axis ? ", " : "") + (variant.grid[axis].empty()
                                      ? std::string("grid.") + "xyz"[axis]
                                      : printExpr(variant.grid[axis]));
  }
  facts.emplace_back("grid", grid);
  facts.emplace_back("block", axes(variant.block));
  if (variant.cluster[0] > 1 || variant.cluster[1] > 1 ||
      variant.cluster[2] > 1) {
    facts.emplace_back("cluster", axes(variant.cluster));
  }
  if (!variant.workspaceBytes.empty()) {
    static const char *const zero[] = {"", ", zero once", ", zero each time"};
    facts.emplace_back(
        "workspace",
        printExpr(variant.workspaceBytes) + " bytes, aligned to " +
            std::to_string(variant.workspaceAlign) +
            (variant.workspaceZero < 3 ? zero[variant.workspaceZero] : ""));
  }
  if (variant.regs) {
    facts.emplace_back("registers", std::to_string(variant.regs));
  }
  if (variant.spillBytes) {
    facts.emplace_back("spilled", std::to_string(variant.spillBytes) +
                                      " bytes: registers did not suffice; a "
                                      "smaller tile may be faster");
  }
  if (variant.staticScratch || variant.dynScratch) {
    facts.emplace_back("scratch",
                       std::to_string(variant.staticScratch) + " + " +
                           std::to_string(variant.dynScratch) + " bytes");
  }
  if (variant.flags & TZ_KERNEL_ORDERED) {
    facts.emplace_back("order", "programs start in linear order: the kernel "
                                "waits on memory");
  }
  if (variant.flags & TZ_KERNEL_COOPERATIVE) {
    facts.emplace_back("launch", "all programs run at once");
  }
  return facts;
}

std::string argumentText(const ArgInfo &argument) {
  std::string text = argument.name.empty() ? "" : argument.name + ": ";
  switch (argument.kind) {
  case TZ_ARG_USER:
    text +=
        "arg" + std::to_string(argument.index) + ", " + typeName(argument.type);
    break;
  case TZ_ARG_TENSOR_VIEW:
    text += "view of arg" + std::to_string(argument.view.baseArg) + ", " +
            std::to_string(argument.view.elementBits) + " bits, sizes";
    for (const Expr &size : argument.view.dims) {
      text += " " + printExpr(size);
    }
    text += ", strides";
    for (const Expr &stride : argument.view.strides) {
      text += " " + printExpr(stride);
    }
    break;
  case TZ_ARG_LOGICAL_GRID:
    text += std::string("grid.") +
            (argument.index < 3 ? "xyz"[argument.index] : '?');
    break;
  case TZ_ARG_WORKSPACE:
    text += "workspace";
    break;
  case TZ_ARG_LOG:
    text += "log of print and assert";
    break;
  case TZ_ARG_TICKET:
    text += "ticket counter";
    break;
  default:
    text += "?";
  }
  return text + " (" + std::to_string(argument.size) + " bytes at " +
         std::to_string(argument.offset) + ")";
}

static std::string valueText(const KeyValue &value) {
  switch (value.kind) {
  case TZ_KV_STR:
    return value.str;
  case TZ_KV_F64:
    return std::to_string(value.f64);
  case TZ_KV_BOOL:
    return value.i64 ? "true" : "false";
  default:
    return std::to_string(value.i64);
  }
}

Facts factsOf(const Artifact &artifact) {
  Facts facts;
  for (const Blob &blob : artifact.blobs) {
    facts.emplace_back(blob.name, blob.format + ", " +
                                      std::to_string(blob.bytes.size()) +
                                      " bytes");
  }
  for (const KeyValue &entry : artifact.metadata) {
    facts.emplace_back(entry.key, valueText(entry));
  }
  if (!artifact.logSites.empty()) {
    facts.emplace_back("prints and asserts",
                       std::to_string(artifact.logSites.size()));
  }
  return facts;
}

//===----------------------------------------------------------------------===//
// As a document
//===----------------------------------------------------------------------===//

static llvm::json::Object object(const Facts &facts) {
  llvm::json::Object made;
  for (const auto &[what, text] : facts) {
    made[what] = text;
  }
  return made;
}

llvm::json::Value toJson(const Explanation &all, const Artifact &artifact) {
  using llvm::json::Array;
  using llvm::json::Object;
  Array lines, counts, messages, variants, parameters;
  for (const ExplainedLine &line : all.lines) {
    Array remarks;
    for (const ExplainedRemark &remark : line.remarks) {
      remarks.push_back(
          Object{{"pass", remark.pass}, {"message", remark.message}});
    }
    lines.push_back(Object{{"file", line.file},
                           {"line", int64_t(line.line)},
                           {"source", line.text},
                           {"facts", Array(line.facts)},
                           {"remarks", std::move(remarks)}});
  }
  for (const optimizer::PassCount &count : all.counts) {
    counts.push_back(Object{{"pass", count.pass},
                            {"name", count.name},
                            {"description", count.description},
                            {"count", int64_t(count.count)}});
  }
  for (const std::string &message : all.messages) {
    messages.push_back(message);
  }
  const std::vector<std::string> leaves = artifact.leafNames();
  for (uint32_t index : artifact.userLeaves) {
    parameters.push_back(leaves[index]);
  }
  for (const Variant &variant : artifact.variants) {
    Array arguments;
    for (const ArgInfo &argument : variant.args) {
      arguments.push_back(argumentText(argument));
    }
    Object made = object(planOf(variant));
    made["name"] = variant.name;
    made["guard"] = variant.guard.empty()
                        ? llvm::json::Value(nullptr)
                        : llvm::json::Value(printExpr(variant.guard));
    made["arguments"] = std::move(arguments);
    made["spill_bytes"] = int64_t(variant.spillBytes);
    variants.push_back(std::move(made));
  }
  return Object{{"format", "terrazzo-explanation/0"},
                {"kernel", artifact.function},
                {"target", artifact.target},
                {"lines", std::move(lines)},
                {"passes", std::move(counts)},
                {"messages", std::move(messages)},
                {"arguments", std::move(parameters)},
                {"variants", std::move(variants)},
                {"artifact", object(factsOf(artifact))}};
}

} // namespace tz::tool
