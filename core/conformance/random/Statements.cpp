//===- Statements.cpp - random statements and whole kernels ---------------===//
//
// What   Assignments, branches, loops, stores and atomics over the expressions
//        of Expressions.cpp, and the frame around them.
// Why    Whatever is computed is stored in the end, so that nothing is dead.
//===----------------------------------------------------------------------===//
#include "core/conformance/random/Generator.h"

namespace tz::conformance::random {

uint64_t Random::next() {
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

unsigned Generator::variable(Type type, bool isExact) {
  kernel.variables.push_back({std::move(type), isExact, false});
  return unsigned(kernel.variables.size() - 1);
}

unsigned Generator::buffer(Buffer::Role role, Elt elt, bool isFresh) {
  for (unsigned i = 0; !isFresh && i < kernel.buffers.size(); ++i) {
    if (kernel.buffers[i].role == role && kernel.buffers[i].elt == elt &&
        !random.oneIn(3)) {
      return i;
    }
  }
  Buffer made{role, elt, "full(77)"};
  if (role == Buffer::Sum) {
    made.init = isFloat(elt) ? "full(2)" : "full(7)";
  } else if (role != Buffer::Input) {
    made.init = elt == Elt::I1 ? "full(1)"
                : isFp8(elt)   ? "full(3)"
                               : "full(77)";
  } else if (elt == Elt::I1) {
    made.init = "randint(0,2)";
  } else if (isFloat(elt)) {
    static constexpr const char *inits[] = {"randn", "uniform(-2,2)", "edges",
                                            "randint(-9,10)"};
    made.init = random.pick(inits);
  } else {
    static constexpr const char *inits[] = {"edges", "randint(0,100)", "arange",
                                            "randint(0,4)"};
    made.init = random.pick(inits);
  }
  kernel.buffers.push_back(std::move(made));
  return unsigned(kernel.buffers.size() - 1);
}

Shape Generator::shape() {
  int rank = random.between(0, 11);
  Shape shape;
  rank = rank < 1 ? 0 : rank < 5 ? 1 : rank < 11 ? 2 : 3;
  do {
    shape.clear();
    for (int i = 0; i < rank; ++i) {
      shape.push_back(sizeDim(unsigned(random.between(0, SizeCount - 1))));
    }
    rank = rank > 1 ? rank - 1 : rank;
  } while (!fits(shape));
  return shape;
}

Stmt Generator::assign() {
  Stmt stmt;
  int count = random.oneIn(5) ? 2 : 1;
  for (int i = 0; i < count; ++i) {
    bool isExact = random.oneIn(3);
    Type type{element(true), shape()};
    stmt.exprs.push_back(
        expression(type, isExact || !isFloat(type.elt), random.between(2, 5)));
    stmt.variables.push_back(variable(type, isExact || !isFloat(type.elt)));
  }
  scope.insert(scope.end(), stmt.variables.begin(), stmt.variables.end());
  return stmt;
}

Stmt Generator::reassign(bool &isPossible) {
  Stmt stmt;
  std::vector<unsigned> able;
  for (unsigned one : scope) {
    if (!kernel.variables[one].isCounter) {
      able.push_back(one);
    }
  }
  isPossible = !able.empty();
  if (!isPossible) {
    return stmt;
  }
  unsigned target = random.pick(able);
  const Variable variable = kernel.variables[target];
  stmt.variables.push_back(target);
  stmt.exprs.push_back(
      expression(variable.type, variable.isExact, random.between(1, 4)));
  return stmt;
}

/// The access is masked by a condition of the type's shape.
void Generator::addMask(Stmt &stmt, const Type &type) {
  stmt.access.hasMask = true;
  Expr cut;
  cut.type = withElt(type, Elt::I1);
  cut.pattern = "(($0).to(tl.int32) * 3 % 2 == 1)";
  cut.kids.push_back(expression(cut.type, true, 2));
  stmt.exprs.push_back(std::move(cut));
}

Stmt Generator::store(Expr value) {
  Stmt stmt;
  stmt.kind = Stmt::Store;
  const Type &type = value.type;
  size_t rank = type.shape.size();
  int form = random.between(0, 9);
  bool canView = (rank == 1 || rank == 2) && type.elt != Elt::I1;
  if (form <= 1 && canView) {
    bool isWide = kernel.log2(type.shape.back()) >= 4;
    stmt.access.form =
        form == 1 && isWide ? Access::Descriptor : Access::BlockPointer;
    stmt.access.buffer = buffer(Buffer::Matrix, type.elt, true);
    stmt.access.hasTail = random.oneIn(2);
    stmt.access.isTransposed = random.oneIn(3);
  } else if (form <= 3 && rank == 2) {
    stmt.access.form = Access::Bounded;
    stmt.access.buffer = buffer(Buffer::Matrix, type.elt, true);
  } else {
    static constexpr Access::Form forms[] = {Access::Linear,  Access::Linear,
                                             Access::Linear,  Access::Reversed,
                                             Access::Doubled, Access::Xored};
    stmt.access.form = rank ? random.pick(forms) : Access::Linear;
    stmt.access.buffer = buffer(Buffer::Output, type.elt, false);
    if (random.oneIn(4)) {
      addMask(stmt, type);
    }
  }
  stmt.exprs.insert(stmt.exprs.begin(), std::move(value));
  return stmt;
}

Stmt Generator::atomic() {
  Stmt stmt;
  stmt.kind = Stmt::Atomic;
  static constexpr Elt elts[] = {Elt::I32, Elt::I32, Elt::U32, Elt::I64,
                                 Elt::U64, Elt::F32, Elt::F64, Elt::F16};
  Elt elt = random.pick(elts);
  Type type{elt, shape()};
  bool isOwn = random.oneIn(2);
  static constexpr const char *whole[] = {
      "atomic_add", "atomic_max", "atomic_min", "atomic_and",
      "atomic_or",  "atomic_xor", "atomic_xchg"};
  static constexpr const char *real[] = {"atomic_max", "atomic_min"};
  bool isHalf = elt == Elt::F16;
  if (isOwn) { // each lane its own element: the old value is known
    stmt.pattern = isHalf         ? "atomic_add"
                   : isFloat(elt) ? "atomic_add"
                                  : random.pick(whole);
    stmt.access.buffer = buffer(Buffer::Output, elt, false);
    stmt.exprs.push_back(expression(type, !isFloat(elt), 3));
    if (!isFloat(elt) && random.oneIn(5)) { // 77 is what is there at first
      stmt.pattern = "atomic_cas";
      stmt.exprs.push_back(make(type, "tl.where($0, 77, $1)",
                                {withElt(type, Elt::I1), type}, true, 2));
    }
  } else {
    type.elt = elt = isHalf ? Elt::F32 : elt;
    stmt.pattern =
        isFloat(elt) ? random.pick(real) : whole[random.between(0, 5)];
    stmt.access.buffer = buffer(Buffer::Sum, elt, true);
    stmt.exprs.push_back(expression(type, true, 3));
    stmt.exprs.push_back(expression(withElt(type, Elt::I32), true, 2));
  }
  if (stmt.pattern != "atomic_cas" && random.oneIn(3)) {
    addMask(stmt, type);
  }
  if (isOwn) {
    stmt.variables.push_back(variable(type, !isFloat(elt)));
    scope.push_back(stmt.variables[0]);
  }
  return stmt;
}

Stmt Generator::branch(int depth) {
  Stmt stmt;
  stmt.kind = Stmt::If;
  if (random.oneIn(5)) {
    Expr flag;
    flag.type = {Elt::I1, {}};
    flag.pattern = "FLAG";
    stmt.exprs.push_back(std::move(flag));
  } else {
    stmt.exprs.push_back(condition(3));
  }
  std::vector<unsigned> outside = scope;
  statements(stmt.body, random.between(1, 2), depth - 1);
  scope = outside;
  if (random.oneIn(2)) {
    statements(stmt.orelse, 1, depth - 1);
    scope = outside;
  }
  return stmt;
}

Stmt Generator::loop(int depth) {
  Stmt stmt;
  stmt.trips = unsigned(random.between(1, 5));
  if (random.oneIn(4)) {
    stmt.kind = Stmt::While;
  } else {
    stmt.kind = Stmt::For;
    static constexpr const char *headers[] = {
        "range(#)",
        "range(0, #)",
        "range(0, tl.minimum(n, #))",
        "range(# - 1, -1, -1)",
        "range(0, #, 2)",
        "range(#, 0)",
        "tl.range(0, #, num_stages=2)",
        "tl.range(0, #, 1, loop_unroll_factor=2)",
        "tl.range(tl.minimum(n, #), num_stages=3, loop_unroll_factor=3)",
        "tl.static_range(#)"};
    stmt.pattern = random.oneIn(25) ? headers[5] : random.pick(headers);
  }
  unsigned counter = variable({Elt::I32, {}}, true);
  kernel.variables[counter].isCounter = true;
  stmt.variables.push_back(counter);
  std::vector<unsigned> outside = scope;
  counters.push_back(counter);
  statements(stmt.body, random.between(1, 3), depth - 1);
  counters.pop_back();
  scope = outside;
  return stmt;
}

/// A loop that reads block after block and gathers something, as products and
/// sums over long rows do.
void Generator::walk(std::vector<Stmt> &body, int depth) {
  Stmt stmt;
  stmt.kind = Stmt::Walk;
  stmt.trips = unsigned(random.between(1, 4));
  Elt elt = element(false);
  if (elt == Elt::I1) {
    elt = Elt::I32;
  }
  Shape tile = shape();
  if (tile.empty() || tile.size() == 3) {
    tile = {sizeDim(0)};
  }
  Type type{elt, tile};
  stmt.access.buffer = buffer(Buffer::Input, elt, false);
  stmt.access.form = random.oneIn(2) ? Access::BlockPointer : Access::Linear;
  stmt.access.hasTail = random.oneIn(2);
  stmt.access.hasOther = random.oneIn(3);
  unsigned counter = variable({Elt::I32, {}}, true);
  kernel.variables[counter].isCounter = true;
  unsigned pointer = variable({Elt::I64, {}}, true);
  kernel.variables[pointer].isCounter = true; // not to be read
  unsigned block = variable(type, true);
  stmt.variables = {counter, pointer, block};
  auto read = [&](unsigned one) {
    Expr expr;
    expr.kind = Expr::Variable;
    expr.type = kernel.variables[one].type;
    expr.isExact = kernel.variables[one].isExact;
    expr.variable = one;
    return expr;
  };
  // What is gathered: element by element, or by a product.
  Stmt first, gather;
  bool isWhole = !isFloat(elt);
  bool isProduct = tile.size() == 2 && (!isWhole || elt == Elt::I8);
  Type sum = type;
  Shape right;
  if (isProduct) {
    Dim columns = sizeDim(unsigned(random.between(1, SizeCount - 1)));
    sum = {isWhole           ? Elt::I32
           : elt == Elt::F64 ? Elt::F64
                             : Elt::F32,
           {tile[0], columns}};
    right = {tile[1], columns};
    isProduct = fits(right) && fits(sum.shape);
    if (!isProduct) {
      sum = type;
    }
  }
  first.exprs.push_back(leaf(sum, isWhole));
  unsigned total = variable(sum, isWhole);
  first.variables.push_back(total);
  scope.push_back(total);
  std::vector<unsigned> outside = scope;
  scope.push_back(block);
  counters.push_back(counter);
  gather.variables.push_back(total);
  Expr made;
  made.type = sum;
  made.isExact = isWhole;
  if (isProduct) {
    made.pattern = std::string("tl.dot($0, $1, acc=$2") +
                   (isWhole           ? ", out_dtype=tl.int32)"
                    : elt == Elt::F64 ? ", out_dtype=tl.float64)"
                                      : ")");
    made.kids.push_back(read(block));
    made.kids.push_back(expression({elt, right}, isWhole, 2));
    made.kids.push_back(read(total));
  } else {
    made.pattern = random.oneIn(3) ? "tl.maximum($0, $1)" : "($0 + $1)";
    if (elt == Elt::BF16) { // maximum gives fp32
      made.pattern = "($0 + $1)";
    }
    made.kids.push_back(read(total));
    made.kids.push_back(random.oneIn(2) ? read(block)
                                        : expression(type, isWhole, 2));
  }
  gather.exprs.push_back(std::move(made));
  stmt.body.push_back(std::move(gather));
  if (random.oneIn(2)) {
    statements(stmt.body, 1, depth - 1);
  }
  counters.pop_back();
  scope = outside;
  body.push_back(std::move(first));
  body.push_back(std::move(stmt));
}

void Generator::statement(std::vector<Stmt> &body, int depth) {
  int kind = random.between(0, 21);
  if (depth > 0 && kind > 19) {
    walk(body, depth);
    return;
  }
  if (depth > 0 && kind < 3) {
    body.push_back(branch(depth));
  } else if (depth > 0 && kind < 7) {
    body.push_back(loop(depth));
  } else if (kind < 9) {
    body.push_back(atomic());
  } else if (kind < 14) {
    bool isPossible = false;
    Stmt stmt = reassign(isPossible);
    body.push_back(isPossible ? std::move(stmt) : assign());
  } else if (kind < 16) {
    Type type{element(true), shape()};
    body.push_back(
        store(expression(type, !isFloat(type.elt), random.between(2, 4))));
  } else {
    body.push_back(assign());
  }
}

void Generator::statements(std::vector<Stmt> &body, int count, int depth) {
  for (int i = 0; i < count && budget > 0; ++i) {
    statement(body, depth);
  }
}

Generator::Generator(uint64_t seed) : random(seed) {
  kernel.seed = seed;
  static constexpr int8_t limits[SizeCount][2] = {
      {3, 9}, {0, 6}, {0, 5}, {1, 5}};
  for (unsigned i = 0; i < SizeCount; ++i) {
    kernel.log2Of[i] = int8_t(random.between(limits[i][0], limits[i][1]));
  }
  for (int &axis : kernel.grid) {
    axis = &axis == &kernel.grid[0] ? random.between(1, 4)
           : random.oneIn(5)        ? 2
                                    : 1;
  }
  kernel.n = unsigned(random.between(8, 700));
  kernel.stride = unsigned(random.between(1, 20));
  kernel.number = random.between(2, 100) * (random.oneIn(2) ? 1 : -1);
  kernel.flag = random.oneIn(2);
  if (random.oneIn(6)) {
    kernel.options.push_back("num_warps=" +
                             std::to_string(1 << random.between(0, 3)));
  }
}

/// Where lanes share an address they store the same there: what is stored
/// depends on what all of them loaded, and on nothing else.
Stmt Generator::update() {
  Stmt stmt;
  stmt.kind = Stmt::Update;
  static constexpr Elt elts[] = {Elt::I8,  Elt::I16, Elt::I32, Elt::U32,
                                 Elt::I64, Elt::F16, Elt::F32, Elt::F64};
  static constexpr Access::Form forms[] = {
      Access::Strided, Access::Strided,  Access::BlockPointer, Access::Indexed,
      Access::Linear,  Access::Reversed, Access::Doubled,      Access::Xored};
  static constexpr const char *patterns[] = {
      "$0 + $0 + 1", "tl.where($0 > 3, $0 - 5, $0 + 1)"};
  Type type{random.pick(elts), shape()};
  size_t rank = type.shape.size();
  Access::Form form = random.pick(forms);
  bool needsRows = form == Access::Strided || form == Access::BlockPointer;
  stmt.access.form =
      rank == 0 || (needsRows && rank != 2) ? Access::Linear : form;
  stmt.access.hasTail = random.oneIn(3);
  stmt.access.buffer = buffer(Buffer::Output, type.elt, true);
  kernel.buffers.back().init = random.oneIn(2) ? "randint(-9,10)" : "arange";
  stmt.pattern = random.pick(patterns);
  stmt.variables.push_back(variable(type, !isFloat(type.elt)));
  return stmt;
}

/// Last of all, so that the rest of a seed's kernel does not depend on it.
void Generator::insertUpdate() {
  std::vector<Stmt> *list = &kernel.body;
  while (!list->empty()) {
    Stmt &stmt = (*list)[size_t(random.between(0, int(list->size()) - 1))];
    if (stmt.body.empty() || random.oneIn(3)) {
      break;
    }
    list = &stmt.body;
  }
  list->insert(list->begin() + random.between(0, int(list->size())), update());
}

RandomKernel Generator::take() {
  budget = random.between(12, 60);
  kernel.body.push_back(assign());
  if (random.oneIn(12)) {
    Stmt leave;
    leave.kind = Stmt::Return;
    leave.trips = unsigned(random.between(0, 2));
    kernel.body.push_back(std::move(leave));
  }
  statements(kernel.body, random.between(2, 8), 2);
  budget = 8;
  for (unsigned one : std::vector<unsigned>(scope)) {
    Expr value;
    value.kind = Expr::Variable;
    value.type = kernel.variables[one].type;
    value.isExact = kernel.variables[one].isExact;
    value.variable = one;
    kernel.body.push_back(store(std::move(value)));
  }
  if (random.oneIn(3)) {
    insertUpdate();
  }
  return std::move(kernel);
}

RandomKernel generate(uint64_t seed) { return Generator(seed).take(); }

} // namespace tz::conformance::random
