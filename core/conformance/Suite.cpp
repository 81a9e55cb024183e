//===- Suite.cpp - from case files to cases -------------------------------===//
//
// What   Statements of a family, the product of its axes, substitution of
//        $names.
// Why    See Suite.h.
//===----------------------------------------------------------------------===//
#include "core/conformance/Suite.h"

#include "core/conformance/Definitions.h"

#include <algorithm>

namespace tz::conformance {

/// The classes of ElementTypes.def, and the groups that case files ask for.
enum class TypeClass { Bool, Signed, Unsigned, Float };
static std::string_view groupOf(TypeClass kind, unsigned bits) {
  switch (kind) {
  case TypeClass::Bool:
    return "bool";
  case TypeClass::Signed:
    return "signed";
  case TypeClass::Unsigned:
    return "unsigned";
  case TypeClass::Float:
    break;
  }
  return bits == 8 ? "fp8" : bits == 16 ? "half" : "wide";
}

const std::vector<ElementType> &elementTypes() {
  static const std::vector<ElementType> types = [] {
    std::vector<ElementType> rows;
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction,              \
                     LeastExponent)                                            \
  rows.push_back({Text, Long, groupOf(TypeClass::Class, Bits)});
#include "terrazzo/ElementTypes.def"
    // Of memory only: no operation takes it.
    std::erase_if(rows,
                  [](const ElementType &row) { return row.name == "f8e4b15"; });
    // The names of cases have the shorter of its two spellings.
    for (ElementType &row : rows) {
      row.name = row.name == "f8e4m3fn" ? "f8e4m3" : row.name;
    }
    return rows;
  }();
  return types;
}

namespace {

/// What a family says; an op may say some of it anew.
struct Statements {
  std::vector<std::string> args, buffers, constexprs, options, expected, needs;
  std::string grid, kernel, source, assertion;
  bool usesReference = true, comparesPrints = false;
};

struct Op {
  Row row;
  Statements own;
};

/// The language's names (core/frontend/Language.def) that work: an op each,
/// with $body, the statements of its example, and $first, what they give.
std::vector<Op> languageOps() {
  enum : bool { No, Yes };
  struct Name {
    const char *name;
    bool works;
    const char *example, *expected;
  };
  static const Name names[] = {
#define TZ_FAMILY(title)
#define TZ_NAME(name, interp, cpu, since, triton, example, expected,           \
                difference)                                                    \
  {name, interp, example, expected},
#include "core/frontend/Language.def"
  };
  std::vector<Op> ops;
  for (const Name &one : names) {
    if (!one.works) {
      continue;
    }
    std::string body = one.example;
    if (body.find("keep(o, ") == std::string::npos) {
      body = "keep(o, " + body + ")";
    }
    // Assembly texts name their operands $0, $1: no variables of ours.
    for (size_t at = 0; (at = body.find('$', at)) != std::string::npos;) {
      body.replace(at, 1, "${dollar}");
      at += 9;
    }
    Op op;
    op.row.name = one.name;
    op.row.variables = {{"body", body + "\n"}, {"first", one.expected}};
    ops.push_back(std::move(op));
  }
  return ops;
}

class FamilyReader {
public:
  FamilyReader(Suite &suite, const Definitions &definitions,
               const SourceLookup &sources, std::string_view file)
      : suite(suite), definitions(definitions), sources(sources), file(file) {}

  bool read(const OutlineNode &node);
  SuiteError error;

private:
  bool fail(unsigned line, std::string message) {
    error = {std::string(file), line, std::move(message)};
    return false;
  }
  bool statement(const OutlineNode &node);
  /// Those that an op may have, too. Nothing: not one of them.
  std::optional<bool> common(const OutlineNode &node, Statements &to);
  bool expand();
  bool expandOp(const Op &op);
  bool instantiate(const Op &op, const Row &variant, const std::string &type,
                   const Row &form, Case &made);
  bool types(std::string_view list, unsigned line,
             std::vector<std::string> &out);

  Suite &suite;
  const Definitions &definitions;
  const SourceLookup &sources;
  std::string_view file;

  unsigned line = 0;
  std::string name, about;
  std::vector<std::string> typeNames, universe;
  bool checksRefusals = true, rotates = false;
  std::vector<Row> forms, variants;
  std::vector<Op> ops;
  std::map<std::string, Variables> typeVariables;
  Variables defaults;
  Statements shared;
};

} // namespace

bool FamilyReader::types(std::string_view list, unsigned at,
                         std::vector<std::string> &out) {
  for (const std::string &word : splitAt(list, " ")) {
    bool removes = word[0] == '-';
    std::string_view wanted = std::string_view(word).substr(removes);
    bool any = false;
    for (const ElementType &type : elementTypes()) {
      std::string_view group = type.group;
      bool isInteger = group == "signed" || group == "unsigned";
      bool isFloat = group == "half" || group == "wide";
      if (wanted != type.name && wanted != group && wanted != "all" &&
          !(wanted == "ints" && isInteger) &&
          !(wanted == "floats" && isFloat) &&
          !(wanted == "numbers" && (isInteger || isFloat))) {
        continue;
      }
      any = true;
      std::erase(out, type.name);
      if (!removes) {
        out.emplace_back(type.name);
      }
    }
    if (!any) {
      return fail(at, "no element type or group '" + word +
                          "'; groups are bool signed unsigned ints half wide "
                          "floats numbers fp8 all");
    }
  }
  return true;
}

std::optional<bool> FamilyReader::common(const OutlineNode &node,
                                         Statements &to) {
  std::string_view word = node.keyword(), rest = node.rest();
  auto add = [&](std::vector<std::string> &list) {
    list.emplace_back(rest);
    return true;
  };
  if (word == "arg") {
    return add(to.args);
  }
  if (word == "buffer") {
    return add(to.buffers);
  }
  if (word == "const") {
    return add(to.constexprs);
  }
  if (word == "option") {
    return add(to.options);
  }
  if (word == "expect") {
    return add(to.expected);
  }
  if (word == "needs") {
    return add(to.needs);
  }
  if (word == "grid") {
    to.grid = rest;
    return true;
  }
  if (word == "asserts") {
    to.assertion = rest;
    return true;
  }
  if (word == "prints") {
    return to.comparesPrints = true;
  }
  if (word == "reference" && rest == "none") {
    to.usesReference = false;
    return true;
  }
  if (word == "source") {
    to.source = rest;
    return true;
  }
  if (word == "kernel") {
    to.kernel = node.block();
    return !to.kernel.empty() ||
           fail(node.line.number, "'kernel' has no text below it");
  }
  return std::nullopt;
}

bool FamilyReader::statement(const OutlineNode &node) {
  std::string_view word = node.keyword(), rest = node.rest();
  unsigned at = node.line.number;
  if (word == "types") {
    return types(rest, at, typeNames);
  }
  if (word == "universe") {
    checksRefusals = rest != "none";
    return !checksRefusals || types(rest, at, universe);
  }
  if (word == "forms") {
    auto found = definitions.forms.find(rest);
    if (found == definitions.forms.end()) {
      return fail(at, "no forms '" + std::string(rest) + "'");
    }
    forms = found->second;
    return true;
  }
  if (word == "ops" && rest == "language") {
    ops = languageOps();
    return true;
  }
  if (word == "rotate" && rest == "variants") {
    return rotates = true;
  }
  if (word == "op" || word == "variant" || word == "type" || word == "set") {
    Row row;
    if (std::string problem = parseRow(rest, row, word == "set");
        !problem.empty()) {
      return fail(at, problem);
    }
    row.line = at;
    if (word == "set") {
      defaults.insert(row.variables.begin(), row.variables.end());
      return true;
    }
    if (word == "variant") {
      variants.push_back(std::move(row));
      return true;
    }
    if (word == "type") {
      std::vector<std::string> names;
      if (!types(row.name, at, names)) {
        return false;
      }
      for (const std::string &one : names) {
        for (const auto &[key, value] : row.variables) {
          typeVariables[one][key] = value;
        }
      }
      return true;
    }
    Op op{std::move(row), {}};
    for (const OutlineNode &inner : outline(node.body)) {
      std::optional<bool> done = common(inner, op.own);
      if (!done) {
        return fail(inner.line.number,
                    "an op cannot say '" + std::string(inner.keyword()) + "'");
      }
      if (!*done) {
        return false;
      }
    }
    ops.push_back(std::move(op));
    return true;
  }
  if (std::optional<bool> done = common(node, shared)) {
    return *done;
  }
  return fail(
      at,
      "a family has no statement '" + std::string(word) +
          "'; there are types universe forms op ops "
          "variant "
          "rotate type set arg buffer const option grid kernel source expect "
          "asserts prints reference needs");
}

bool FamilyReader::read(const OutlineNode &node) {
  std::string_view rest = node.rest();
  size_t colon = rest.find(':');
  line = node.line.number;
  name = trimmed(rest.substr(0, colon));
  if (name.empty() || colon == std::string_view::npos) {
    return fail(line, "write 'family NAME: what it is about'");
  }
  about = trimmed(rest.substr(colon + 1));
  for (const OutlineNode &inner : outline(node.body)) {
    if (!statement(inner)) {
      return false;
    }
  }
  return expand();
}

bool FamilyReader::expand() {
  if (ops.empty()) {
    return fail(line, "family '" + name + "' has no op");
  }
  if (universe.empty() && checksRefusals && !typeNames.empty()) {
    (void)types("all", line, universe);
  }
  suite.families.emplace_back(name, about);
  for (const Op &op : ops) {
    if (!expandOp(op)) {
      return false;
    }
  }
  return true;
}

bool FamilyReader::expandOp(const Op &op) {
  CoverageRow row;
  row.family = name;
  row.op = op.row.name;
  std::vector<std::string> allowed = typeNames;
  if (auto own = op.row.variables.find("types");
      own != op.row.variables.end()) {
    allowed.clear();
    if (!types(own->second, op.row.line, allowed)) {
      return false;
    }
  }
  std::vector<std::string> refusedTypes;
  for (const std::string &type : universe) {
    if (std::find(allowed.begin(), allowed.end(), type) == allowed.end() &&
        !op.row.variables.count("unchecked")) {
      refusedTypes.push_back(type);
    }
  }
  if (allowed.empty()) {
    allowed.emplace_back();
  }
  std::vector<Row> chosen;
  auto only = op.row.variables.find("forms");
  for (const Row &form : forms) {
    std::vector<std::string> names;
    if (only != op.row.variables.end()) {
      names = splitAt(only->second, " ");
    }
    if (names.empty() ||
        std::find(names.begin(), names.end(), form.name) != names.end()) {
      chosen.push_back(form);
    }
  }
  if (chosen.empty()) {
    chosen.emplace_back();
  }
  std::vector<Row> several = variants;
  if (several.empty()) {
    several.emplace_back();
  }
  for (const Row &form : chosen) {
    row.forms.push_back(form.name);
  }
  size_t turn = 0;
  for (const std::string &type : allowed) {
    for (const Row &form : chosen) {
      CoverageRow::Cell cell{type, form.name, 0};
      ++turn;
      for (size_t i = 0; i < (rotates ? 1 : several.size()); ++i) {
        const Row &variant =
            several[rotates ? (turn + turn / several.size()) % several.size()
                            : i];
        Case made;
        if (!instantiate(op, variant, type, form, made)) {
          return false;
        }
        suite.cases.push_back(std::move(made));
        ++cell.count;
      }
      row.cells.push_back(cell);
    }
  }
  for (const std::string &type : refusedTypes) {
    Case made;
    if (!instantiate(op, several.front(), type, chosen.front(), made)) {
      return false;
    }
    row.refused.push_back(std::move(made));
  }
  suite.coverage.push_back(std::move(row));
  return true;
}

static uint64_t hashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : text) {
    hash = (hash ^ c) * 0x100000001b3u;
  }
  return hash & 0x7fffffff;
}

bool FamilyReader::instantiate(const Op &op, const Row &variant,
                               const std::string &type, const Row &form,
                               Case &made) {
  Substitution variables(definitions.blocks);
  made.family = name;
  made.op = op.row.name + (variant.name.empty() ? "" : "." + variant.name);
  made.type = type;
  made.form = form.name;
  made.name = name + "/" + made.op + (type.empty() ? "" : "/" + type) +
              (form.name.empty() ? "" : "/" + form.name);
  made.seed = hashOf(made.name);

  Variables builtin = {{"type", type},
                       {"op", op.row.name},
                       {"dollar", "$"},
                       {"variant", variant.name},
                       {"form", form.name}};
  for (const ElementType &one : elementTypes()) {
    if (one.name == type) {
      builtin["tl"] = "tl." + std::string(one.language);
      builtin["group"] = one.group;
    }
  }
  auto ofType = typeVariables.find(type);
  variables.layers = {&op.row.variables, &variant.variables, &form.variables};
  if (ofType != typeVariables.end()) {
    variables.layers.push_back(&ofType->second);
  }
  variables.layers.push_back(&defaults);
  variables.layers.push_back(&builtin);

  auto apply = [&](const std::string &text) {
    return variables.apply(text, made.name);
  };
  auto list = [&](const std::vector<std::string> &own,
                  const std::vector<std::string> &common) {
    std::vector<std::string> result;
    for (const std::string &text : own.empty() ? common : own) {
      if (std::string one = apply(text); !one.empty()) {
        result.push_back(std::move(one));
      }
    }
    return result;
  };
  made.args = list(op.own.args, shared.args);
  made.buffers = list(op.own.buffers, shared.buffers);
  made.constexprs = list(op.own.constexprs, shared.constexprs);
  made.options = list(op.own.options, shared.options);
  made.expected = list(op.own.expected, shared.expected);
  made.needs = list(op.own.needs, shared.needs);
  if (type == "f64") {
    made.needs.emplace_back("f64");
  }
  const std::string &grid = op.own.grid.empty() ? shared.grid : op.own.grid;
  made.grid = grid.empty() ? "1" : apply(grid);
  made.assertion =
      apply(op.own.assertion.empty() ? shared.assertion : op.own.assertion);
  made.usesReference = op.own.usesReference && shared.usesReference;
  made.comparesPrints = op.own.comparesPrints || shared.comparesPrints;

  const std::string &source =
      op.own.source.empty() ? shared.source : op.own.source;
  const std::string &kernel =
      op.own.kernel.empty() ? shared.kernel : op.own.kernel;
  if (!kernel.empty() && op.own.source.empty()) {
    made.function = "kernel";
    made.source = "import triton\nimport triton.language as tl\nfrom "
                  "triton.language.extra import libdevice\n\n" +
                  apply(kernel);
  } else {
    std::string whole = apply(source);
    size_t at = whole.find("::");
    auto found = sources.find(whole.substr(0, at));
    if (at == std::string::npos || found == sources.end()) {
      return fail(op.row.line, "'" + made.name +
                                   "' has neither a kernel nor a source "
                                   "that is known ('" +
                                   whole + "')");
    }
    made.source = found->second;
    made.function = whole.substr(at + 2);
  }
  return variables.problem.empty() || fail(op.row.line, variables.problem);
}

static std::optional<SuiteError>
addFamilies(Suite &suite, std::string_view file, std::string_view text,
            const Definitions &definitions, const SourceLookup &sources) {
  for (const OutlineNode &node : outline(splitLines(text))) {
    if (node.keyword() == "family") {
      FamilyReader reader(suite, definitions, sources, file);
      if (!reader.read(node)) {
        return reader.error;
      }
    }
  }
  return std::nullopt;
}

std::optional<SuiteError> addCases(Suite &suite, std::string_view file,
                                   std::string_view text,
                                   const SourceLookup &sources) {
  Definitions definitions;
  for (const EmbeddedFile &one : embeddedCases()) {
    if (auto error = definitions.read(one.name, one.text)) {
      return error;
    }
  }
  if (auto error = definitions.read(file, text)) {
    return error;
  }
  return addFamilies(suite, file, text, definitions, sources);
}

std::optional<SuiteError> addEmbeddedCases(Suite &suite) {
  Definitions definitions;
  SourceLookup sources;
  for (const EmbeddedFile &one : embeddedSources()) {
    sources.emplace(one.name, one.text);
  }
  for (const EmbeddedFile &one : embeddedCases()) {
    if (auto error = definitions.read(one.name, one.text)) {
      return error;
    }
  }
  for (const EmbeddedFile &one : embeddedCases()) {
    if (auto error =
            addFamilies(suite, one.name, one.text, definitions, sources)) {
      return error;
    }
  }
  return std::nullopt;
}

std::vector<const Case *> chooseSmoke(const std::vector<const Case *> &cases,
                                      size_t limit) {
  std::map<std::string_view, std::vector<const Case *>> families;
  for (const Case *one : cases) {
    families[one->family].push_back(one);
  }
  std::vector<const Case *> chosen;
  size_t begin = 0, number = 0;
  for (const auto &[name, members] : families) {
    const size_t end = ++number * limit / families.size();
    const size_t share =
        std::min(std::max<size_t>(end - begin, 1), members.size());
    begin = end;
    // A stride walks over a family's ops, types and forms. Where in its stride
    // a family begins follows the golden ratio, so that families with one case
    // each do not all give the same form.
    const size_t phase = number * 618 % 1000;
    for (size_t i = 0; i < share; ++i) {
      chosen.push_back(
          members[(1000 * i + phase) * members.size() / (1000 * share)]);
    }
  }
  std::sort(chosen.begin(), chosen.end(), std::less<>());
  return chosen;
}

} // namespace tz::conformance
