//===- ViewDocument.cpp - the data of a page as JSON, and the page --------===//
//
// What   See ViewModel.h. Lines are numbers into one table of strings: the
// texts
//        behind neighbouring passes have nearly all lines in common.
// Why    What the page shows is what programs can read.
//===----------------------------------------------------------------------===//
#include "core/view/PageFiles.h"
#include "core/view/ViewModel.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace tz::view {

using namespace llvm::json;

namespace {
class Strings {
public:
  int64_t number(llvm::StringRef text) {
    auto [entry, isNew] = known.try_emplace(text, int64_t(all.size()));
    if (isNew) {
      all.push_back(fixUTF8(text));
    }
    return entry->second;
  }
  Array take() { return std::move(all); }

private:
  llvm::StringMap<int64_t> known;
  Array all;
};
} // namespace

static Array numbers(llvm::ArrayRef<int64_t> values) { return Array(values); }

template <class Type>
static std::string printed(const Type &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

static Object textJson(const Text &text, Strings &strings) {
  Array lines, at;
  for (const std::string &line : text.lines) {
    lines.push_back(strings.number(line));
  }
  for (const std::vector<int> &places : text.at) {
    if (places.size() == 1) {
      at.push_back(places.front());
    } else if (places.empty()) {
      at.push_back(-1);
    } else {
      at.push_back(Array(places));
    }
  }
  return Object{{"lines", std::move(lines)}, {"at", std::move(at)}};
}

static Array factsJson(const tool::Facts &facts) {
  Array made;
  for (const auto &[what, text] : facts) {
    made.push_back(Array{what, text});
  }
  return made;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Elements of which the page's own arithmetic can be checked.
static Array probes(const simt::Layout &layout, llvm::ArrayRef<int64_t> shape) {
  constexpr unsigned most = 16;
  Array made;
  for (unsigned i = 0; i < most; ++i) {
    simt::Coordinates at;
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      at.push_back(int64_t(i * (7 + 5 * dim) + (i & 1)) % extent);
    }
    std::optional<simt::Place> owner = layout.owner(at);
    if (!owner) {
      continue;
    }
    Array place;
    for (simt::Axis axis : simt::AllAxes) {
      place.push_back((*owner)[axis]);
    }
    made.push_back(Array{numbers(at), std::move(place)});
  }
  return made;
}

static Object layoutJson(const ViewLayout &one) {
  const simt::Layout &layout = one.layout.getValue();
  Array axes, redundant, repeats;
  for (simt::Axis axis : simt::AllAxes) {
    Array bases;
    for (const simt::Coordinates &basis : layout.bases(axis)) {
      bases.push_back(numbers(basis));
    }
    axes.push_back(std::move(bases));
    redundant.push_back(int64_t(layout.redundantBits(axis)));
  }
  for (const simt::Layout::Repeat &repeat : layout.repeats()) {
    repeats.push_back(
        Object{{"axis", int64_t(repeat.axis)},
               {"dim", repeat.dim ? Value(int64_t(*repeat.dim)) : nullptr},
               {"count", repeat.count}});
  }
  return Object{{"text", printed(mlir::Attribute(one.layout))},
                {"shape", numbers(one.type.getShape())},
                {"element", printed(one.type.getElementType())},
                {"uses", int64_t(one.uses)},
                {"at", one.place},
                {"atom", numbers(layout.atomShape())},
                {"axes", std::move(axes)},
                {"redundant", std::move(redundant)},
                {"repeats", std::move(repeats)},
                {"probes", probes(layout, one.type.getShape())}};
}

/// Where elements begin: of the last two dimensions, of the first corner.
static Object bufferJson(const ViewBuffer &one) {
  constexpr int64_t mostRows = 32, mostColumns = 128;
  llvm::ArrayRef<int64_t> shape = one.type.getShape();
  const int64_t columns =
      shape.empty() ? 1 : std::min(shape.back(), mostColumns);
  const int64_t rows =
      shape.size() < 2 ? 1 : std::min(shape[shape.size() - 2], mostRows);
  Array offsets;
  for (int64_t row = 0; row < rows; ++row) {
    Array line;
    for (int64_t column = 0; column < columns; ++column) {
      simt::Coordinates at(shape.size(), 0);
      if (!shape.empty()) {
        at.back() = column;
      }
      if (shape.size() > 1) {
        at[shape.size() - 2] = row;
      }
      line.push_back(one.type.getOffset(at));
    }
    offsets.push_back(std::move(line));
  }
  return Object{
      {"text", printed(mlir::Type(one.type))},
      {"shape", numbers(shape)},
      {"element", printed(one.type.getElementType())},
      {"bytes", one.type.getBytes()},
      {"elementBytes", int64_t(tile::storageBytes(one.type.getElementType()))},
      {"copies", one.copies},
      {"uses", int64_t(one.uses)},
      {"at", one.place},
      {"offsets", std::move(offsets)}};
}

//===----------------------------------------------------------------------===//
// The document
//===----------------------------------------------------------------------===//

static Object compilationJson(const Compilation &one, Strings &strings) {
  Array stages, passes, remarks, layouts, buffers, plans;
  for (const StageText &stage : one.stages) {
    Object made = textJson(stage.text, strings);
    made["name"] = stage.name;
    made["alias"] = stage.alias;
    stages.push_back(std::move(made));
  }
  for (const PassStep &step : one.passes) {
    Object made{{"pass", step.pass}, {"stage", step.stage}};
    if (step.text) {
      made["text"] = textJson(*step.text, strings);
    }
    passes.push_back(std::move(made));
  }
  for (const ViewRemark &remark : one.remarks) {
    remarks.push_back(Object{{"pass", remark.pass},
                             {"severity", remark.severity},
                             {"message", fixUTF8(remark.message)},
                             {"at", remark.place}});
  }
  for (const ViewLayout &layout : one.layouts) {
    layouts.push_back(layoutJson(layout));
  }
  for (const ViewBuffer &buffer : one.buffers) {
    buffers.push_back(bufferJson(buffer));
  }
  for (const auto &[name, facts] : one.plans) {
    plans.push_back(Object{{"variant", name}, {"facts", factsJson(facts)}});
  }
  return Object{{"title", one.title},
                {"target", one.target},
                {"stages", std::move(stages)},
                {"absent", Array(one.absent)},
                {"passes", std::move(passes)},
                {"remarks", std::move(remarks)},
                {"layouts", std::move(layouts)},
                {"buffers", std::move(buffers)},
                {"plans", std::move(plans)},
                {"facts", factsJson(one.facts)}};
}

Value toJson(const Document &document) {
  Strings strings;
  Array files, places, sources, compilations;
  for (const Compilation &one : document.compilations) {
    compilations.push_back(compilationJson(one, strings));
  }
  for (const SourceText &source : document.sources) {
    Array lines;
    llvm::SmallVector<llvm::StringRef, 0> texts;
    llvm::StringRef(source.text).rtrim('\n').split(texts, '\n');
    for (llvm::StringRef line : texts) {
      lines.push_back(strings.number(line.rtrim('\r')));
    }
    sources.push_back(Object{{"path", fixUTF8(source.path)},
                             {"first", int64_t(source.firstLine)},
                             {"lines", std::move(lines)}});
  }
  for (const std::string &name : document.places.files()) {
    files.push_back(fixUTF8(name));
  }
  for (const Place &place : document.places.all()) {
    places.push_back(Array{int64_t(place.file), int64_t(place.line),
                           int64_t(place.column), place.caller});
  }
  return Object{{"format", "terrazzo-view/0"},
                {"kernel", document.kernel},
                {"files", std::move(files)},
                {"places", std::move(places)},
                {"sources", std::move(sources)},
                {"compilations", std::move(compilations)},
                {"samples", document.samples},
                {"strings", strings.take()}};
}

static std::string escaped(llvm::StringRef text) {
  std::string made;
  llvm::raw_string_ostream os(made);
  llvm::printHTMLEscaped(text, os);
  return made;
}

std::string toPage(const Document &document) {
  std::string data = printed(toJson(document)), safe;
  safe.reserve(data.size());
  for (char c : data) { // no text may end the element that holds it
    c == '<' ? safe.append("\\u003c") : safe.append(1, c);
  }
  std::string page = pageFile("view.html").str();
  auto put = [&](llvm::StringRef mark, llvm::StringRef text) {
    const size_t at = page.find(mark.str());
    page.replace(at, mark.size(), text.str());
  };
  put("@TITLE@", escaped(document.kernel));
  put("@STYLE@", pageFile("view.css"));
  put("@DATA@", safe);
  std::string script;
  for (const char *name : {"view.js", "panes.js", "passes.js", "layouts.js",
                           "facts.js", "start.js"}) {
    script += pageFile(name).str();
  }
  put("@SCRIPT@", script);
  return page;
}

} // namespace tz::view
