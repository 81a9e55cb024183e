//===- Explain.h - what became of a kernel --------------------------------===//
//
// What   The facts that tz explain shows: by source line, by pass, of the
//        artifact.
// Why    The text and the JSON document are two forms of the same facts.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_VIEW_EXPLAIN_H
#define TERRAZZO_CORE_VIEW_EXPLAIN_H

#include "core/driver/source/Rendering.h"
#include "runtime/launch/PlanEvaluator.h"

#include "terrazzo/optimizer/TilePipeline.h"

#include "llvm/Support/JSON.h"

namespace tz::tool {

struct ExplainedRemark {
  std::string pass, message;
};

/// A line of the source at which there is something to say.
struct ExplainedLine {
  std::string file;
  uint32_t line = 0;
  std::string text;
  std::vector<std::string> facts; // what stands there after the passes
  std::vector<ExplainedRemark> remarks;
};

struct Explanation {
  std::vector<ExplainedLine> lines; // by file and line
  std::vector<optimizer::PassCount> counts;
  std::vector<std::string> messages; // of others, as they print them
};

/// What stands in `module` at each line, and what passes said of the line. A
/// place in the language's own library counts as the call that leads there.
std::vector<ExplainedLine>
explainLines(mlir::ModuleOp module,
             const std::vector<optimizer::Remark> &remarks,
             const driver::Sources &sources);

using Facts = std::vector<std::pair<std::string, std::string>>;

/// Grid, workspace and machine resources of a variant; what is absent is left
/// out.
Facts planOf(const runtime::Variant &variant);
Facts factsOf(const runtime::Artifact &artifact);
std::string argumentText(const runtime::ArgInfo &argument);

llvm::json::Value toJson(const Explanation &all,
                         const runtime::Artifact &artifact);

} // namespace tz::tool

#endif
