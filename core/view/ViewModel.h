//===- ViewModel.h - what the page of a kernel shows ------------*- C++ -*-===//
//
// What   The texts of all stages of one or two compilations, each line with the
//        places in the source that it comes from; what the passes changed and
//        said; layouts of tiles and of shared memory; figures of the artifact.
// Why    The page, the text in a terminal and the JSON document are three forms
//        of the same data. A page must not ask anybody: it holds all of it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_VIEW_VIEWMODEL_H
#define TERRAZZO_CORE_VIEW_VIEWMODEL_H

#include "core/driver/Driver.h"
#include "core/view/Explain.h"
#include "core/view/LinePlaces.h"

#include "terrazzo/simt/Simt.h"

namespace tz::view {

/// A text, and what each of its lines comes from.
struct Text {
  std::vector<std::string> lines;
  std::vector<std::vector<int>> at; ///< by line: places, none or several
};

struct StageText {
  std::string name;  ///< as --emit calls it
  std::string alias; ///< what the language calls it on this target, or empty
  Text text;
};

/// A pass that was run; `text` is the kernel behind it, if it was changed.
struct PassStep {
  std::string pass, stage;
  std::optional<Text> text;
};

struct ViewRemark {
  std::string pass; ///< empty: the target's compiler
  std::string severity, message;
  int place = -1;
};

/// A layout of tiles, and the tiles that have it.
struct ViewLayout {
  simt::LayoutAttr layout;
  mlir::RankedTensorType type;
  unsigned uses = 0;
  int place = -1; ///< of the first
};

/// How a tile lies in shared memory.
struct ViewBuffer {
  simt::BufferType type;
  int64_t copies = 1; ///< slots of a ring
  unsigned uses = 0;
  int place = -1;
};

struct Compilation {
  std::string title; ///< target and what was given
  std::string target, function;
  std::vector<StageText> stages;
  std::vector<std::string> absent; ///< "machine: ...": stages, and why not
  std::vector<PassStep> passes;
  std::vector<ViewRemark> remarks;
  std::shared_ptr<mlir::MLIRContext> context; ///< of the layouts
  std::vector<ViewLayout> layouts;
  std::vector<ViewBuffer> buffers;
  std::vector<std::pair<std::string, tool::Facts>> plans; ///< by variant
  tool::Facts facts;

  const StageText *stage(std::string_view name) const;
};

/// A text of the user's. The number of its first line is not 1 where a program
/// gave a part of a file.
struct SourceText {
  std::string path, text;
  uint32_t firstLine = 1;
};

struct Document {
  std::string kernel;
  Places places;
  std::vector<SourceText> sources;
  std::vector<Compilation> compilations;
  llvm::json::Value samples = nullptr; ///< as they were given
};

/// Compiles the job with lines for its code and adds it to the document. What
/// is wrong with the kernel goes to `diagnostics`, as of every compilation.
runtime::Status addCompilation(Document &to, runtime::Registry &registry,
                               driver::Driver &driver, runtime::CompileJob job,
                               std::string title,
                               runtime::DiagnosticSink &diagnostics);

/// The document as docs/guide/views.md describes it.
llvm::json::Value toJson(const Document &document);

/// One file of HTML with everything in it.
std::string toPage(const Document &document);

/// The lines of the source, under each the lines of a stage that come from it.
/// Lines without a place follow at the end if `all`.
std::string toText(const Document &document, const Compilation &compilation,
                   const StageText &stage);

/// Checks what a profiler wrote; the message says what is wrong.
runtime::Result<llvm::json::Value> readSamples(std::string_view text);

} // namespace tz::view

#endif
