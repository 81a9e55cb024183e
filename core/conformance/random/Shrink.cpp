//===- Shrink.cpp - smaller versions of a random kernel -------------------===//
//
// What   See Shrink.h; and cases by name (Random.h).
// Why    See Shrink.h.
//===----------------------------------------------------------------------===//
#include "core/conformance/random/Shrink.h"

#include "core/conformance/random/Random.h"

#include <charconv>

namespace tz::conformance::random {

namespace {

/// A statement and where it stands.
struct Place {
  std::vector<Stmt> *list;
  size_t at;
  Stmt &get() const { return (*list)[at]; }
};

/// Everything in a kernel that edits name by number.
struct Sites {
  std::vector<Place> statements;
  std::vector<Expr *> exprs;

  explicit Sites(RandomKernel &kernel) {
    add(kernel.body);
    for (Function &function : kernel.functions) {
      for (Expr &result : function.results) {
        add(result);
      }
    }
  }

private:
  void add(Expr &expr) {
    exprs.push_back(&expr);
    for (Expr &kid : expr.kids) {
      add(kid);
    }
  }
  void add(std::vector<Stmt> &list) {
    for (size_t i = 0; i < list.size(); ++i) {
      statements.push_back({&list, i});
      for (Expr &expr : list[i].exprs) {
        add(expr);
      }
      add(list[i].body);
      add(list[i].orelse);
    }
  }
};

} // namespace

static bool isConstant(const Expr &expr) {
  return expr.kind == Expr::Pattern && expr.kids.empty() &&
         expr.pattern.starts_with("tl.full(");
}

static Expr constantOf(const Type &type) {
  Expr expr;
  expr.type = type;
  expr.dims = type.shape;
  std::string list;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    list += "#" + std::to_string(i) + ", ";
  }
  expr.pattern = "tl.full((" + list + "), " +
                 (type.elt == Elt::I1 ? "True" : "1") + ", tl." +
                 std::string(factsOf(type.elt).language) + ")";
  return expr;
}

/// Not: a literal that stands where only a literal fits.
static bool canBeConstant(const Expr &expr) {
  bool isLiteral = expr.kind == Expr::Pattern && expr.kids.empty() &&
                   expr.dims.empty() && !expr.pattern.starts_with("tl.");
  return !isConstant(expr) && !isLiteral;
}

static bool isPlain(const Access &access) {
  return access.form == Access::Linear && !access.hasTail && access.loop < 0 &&
         access.flavour == 0;
}

static std::string_view plainInit(const Buffer &buffer) {
  return buffer.role != Buffer::Input || buffer.elt == Elt::I1
             ? std::string_view(buffer.init)
             : std::string_view("randint(-9,10)");
}

std::vector<std::string> editsOf(const RandomKernel &original) {
  RandomKernel kernel = original; // sites need one that may be changed
  Sites sites(kernel);
  std::vector<std::string> edits;
  auto add = [&](const char *word, size_t site, const std::string &more = "") {
    edits.push_back(word + std::to_string(site) + more);
  };
  size_t longest = 1;
  for (const Place &place : sites.statements) {
    longest = std::max(longest, place.list->size());
  }
  for (size_t chunk = longest; chunk > 0; chunk /= 2) {
    for (size_t i = 0; i < sites.statements.size(); ++i) {
      const Place &place = sites.statements[i];
      if (place.at % chunk == 0 && place.at + chunk <= place.list->size()) {
        add("s", i, "." + std::to_string(chunk));
      }
    }
  }
  for (size_t i = 0; i < sites.statements.size(); ++i) {
    const Stmt &stmt = sites.statements[i].get();
    if (!stmt.body.empty()) {
      add("b", i);
    }
    if (!stmt.orelse.empty()) {
      add("o", i);
    }
    if (stmt.trips > 1) {
      add("t", i);
    }
  }
  for (size_t i = 0; i < kernel.grid.size(); ++i) {
    if (kernel.grid[i] > 1) {
      add("g", i);
    }
  }
  for (size_t i = 0; i < sites.exprs.size(); ++i) {
    const Expr &expr = *sites.exprs[i];
    for (size_t kid = 0; kid < expr.kids.size(); ++kid) {
      if (expr.kids[kid].type == expr.type) {
        add("k", i, "." + std::to_string(kid));
      }
    }
    if (canBeConstant(expr)) {
      add("c", i);
    }
  }
  for (size_t i = 0; i < SizeCount; ++i) {
    if (kernel.log2Of[i] > 1) {
      add("z", i, ".0");
      add("z", i, "." + std::to_string(kernel.log2Of[i] / 2));
    }
    if (kernel.log2Of[i] > 0) {
      add("z", i, "." + std::to_string(kernel.log2Of[i] - 1));
    }
  }
  for (size_t i = 0; i < sites.exprs.size(); ++i) {
    const Expr &expr = *sites.exprs[i];
    if (expr.kind == Expr::Load && expr.access.hasMask) {
      add("x", i);
    }
    if (expr.kind == Expr::Load && !isPlain(expr.access)) {
      add("w", i);
    }
  }
  for (size_t i = 0; i < sites.statements.size(); ++i) {
    const Stmt &stmt = sites.statements[i].get();
    if (stmt.access.hasMask) {
      add("y", i);
    }
    if ((stmt.kind == Stmt::Store || stmt.kind == Stmt::Update) &&
        !isPlain(stmt.access)) {
      add("v", i);
    }
  }
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    if (kernel.buffers[i].init != plainInit(kernel.buffers[i])) {
      add("i", i);
    }
  }
  if (!kernel.options.empty()) {
    edits.push_back("p");
  }
  return edits;
}

static void makePlain(Access &access) {
  access.form = Access::Linear;
  access.hasTail = false;
  access.loop = -1;
  access.flavour = 0;
  access.isTransposed = false;
}

namespace {

/// One edit of a kernel: a letter, the number of a place, and one number more.
/// False where there is no such place.
class Edit {
public:
  Edit(RandomKernel &kernel, std::string_view edit)
      : kernel(kernel), word(edit[0]), sites(kernel) {
    const size_t dot = edit.find('.');
    site = numberOf(edit.substr(1, dot - 1));
    more = dot == edit.npos ? 0 : numberOf(edit.substr(dot + 1));
  }
  bool apply();

private:
  static size_t numberOf(std::string_view text) {
    size_t value = ~size_t(0);
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  bool eraseStatements();
  void unwrap();
  void simplifyStatement();
  bool simplifyKernel();
  bool simplifyExpression();
  void simplifyLoad(Expr &expr);

  RandomKernel &kernel;
  const char word;
  Sites sites;
  size_t site, more;
};

bool Edit::eraseStatements() {
  auto [list, at] = sites.statements[site];
  if (more > list->size() - at) {
    return false;
  }
  list->erase(list->begin() + ptrdiff_t(at),
              list->begin() + ptrdiff_t(at + more));
  return true;
}

/// A loop or branch becomes what is in it.
void Edit::unwrap() {
  auto [list, at] = sites.statements[site];
  std::vector<Stmt> inner =
      std::move(word == 'b' ? (*list)[at].body : (*list)[at].orelse);
  list->erase(list->begin() + ptrdiff_t(at));
  list->insert(list->begin() + ptrdiff_t(at),
               std::make_move_iterator(inner.begin()),
               std::make_move_iterator(inner.end()));
}

void Edit::simplifyStatement() {
  Stmt &stmt = sites.statements[site].get();
  if (word == 't') {
    stmt.trips = stmt.kind == Stmt::Return ? 0 : 1;
  } else if (word == 'v') {
    // Plain stores go to outputs, of which each program has a part.
    kernel.buffers[stmt.access.buffer].role = Buffer::Output;
    makePlain(stmt.access);
  } else if (stmt.access.hasMask) {
    stmt.access.hasMask = false;
    stmt.exprs.pop_back();
  }
}

/// A load becomes plain, or loses its mask.
void Edit::simplifyLoad(Expr &expr) {
  const bool hasIndex = expr.access.form == Access::Indexed;
  if (word == 'w') {
    if (hasIndex) {
      expr.kids.erase(expr.kids.begin());
    }
    makePlain(expr.access);
  } else {
    expr.kids.resize(hasIndex ? 1 : 0);
    expr.access.hasMask = expr.access.hasOther = false;
  }
}

bool Edit::simplifyExpression() {
  if (site >= sites.exprs.size()) {
    return false;
  }
  Expr &expr = *sites.exprs[site];
  if (word == 'k') {
    if (more >= expr.kids.size()) {
      return false;
    }
    Expr kid = std::move(expr.kids[more]);
    expr = std::move(kid);
  } else if (word == 'c') {
    expr = constantOf(Type(expr.type));
  } else {
    simplifyLoad(expr);
  }
  return true;
}

bool Edit::simplifyKernel() {
  switch (word) {
  case 'g':
    if (site >= kernel.grid.size()) {
      return false;
    }
    kernel.grid[site] = 1;
    return true;
  case 'z':
    if (site >= SizeCount) {
      return false;
    }
    kernel.log2Of[site] = int8_t(std::min<size_t>(more, 12));
    return true;
  case 'i':
    if (site >= kernel.buffers.size()) {
      return false;
    }
    kernel.buffers[site].init = plainInit(kernel.buffers[site]);
    return true;
  case 'p':
    kernel.options.clear();
    return true;
  default:
    return false;
  }
}

bool Edit::apply() {
  switch (word) {
  case 's':
  case 'b':
  case 'o':
  case 't':
  case 'y':
  case 'v':
    if (site >= sites.statements.size()) {
      return false;
    }
    if (word == 's') {
      return eraseStatements();
    }
    if (word == 'b' || word == 'o') {
      unwrap();
    } else {
      simplifyStatement();
    }
    return true;
  case 'k':
  case 'c':
  case 'x':
  case 'w':
    return simplifyExpression();
  default:
    return simplifyKernel();
  }
}

} // namespace

bool applyEdit(RandomKernel &kernel, std::string_view edit) {
  return !edit.empty() && Edit(kernel, edit).apply();
}

} // namespace tz::conformance::random

namespace tz::conformance {

std::optional<random::RandomKernel> randomKernel(std::string_view name) {
  constexpr std::string_view prefix = "random/";
  if (!name.starts_with(prefix)) {
    return std::nullopt;
  }
  std::string_view rest = name.substr(prefix.size());
  std::string_view seedText = rest.substr(0, rest.find('/'));
  uint64_t seed = 0;
  auto [end, error] =
      std::from_chars(seedText.data(), seedText.data() + seedText.size(), seed);
  if (error != std::errc() || end != seedText.data() + seedText.size()) {
    return std::nullopt;
  }
  random::RandomKernel kernel = random::generate(seed);
  rest.remove_prefix(seedText.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    std::string_view edit = rest.substr(0, rest.find('-'));
    if (!random::applyEdit(kernel, edit)) {
      return std::nullopt;
    }
    rest.remove_prefix(edit.size());
  }
  return kernel;
}

std::optional<Case> randomCase(std::string_view name) {
  std::optional<random::RandomKernel> kernel = randomKernel(name);
  return kernel ? random::print(*kernel, std::string(name)) : std::nullopt;
}

} // namespace tz::conformance
