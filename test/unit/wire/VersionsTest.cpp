//===- VersionsTest.cpp - what an older version cannot say ----------------===//
//
// What   Ops, operands, attributes and enum cases that are newer than the
//        version to be written, by records of this test; the table of cases
//        against the dialect.
// Why    So far every record is of the first version, so no module of today
//        shows that a newer one would be refused.
//===----------------------------------------------------------------------===//
#include "core/wire/Versions.h"

#include "Modules.h"

#include "core/wire/Codec.h"

#include "terrazzo/ir/Tile.h"

#include <map>
#include <set>

namespace tz::wire {
namespace {

constexpr const char *Loads = R"(
tile.kernel @k(%p: !tile.ptr<f32>, %b: i1, %f: f32) {
  %plain = tile.load %p : !tile.ptr<f32> -> f32
  %full = tile.load %p mask %b other %f {cache = #tile<cache_hint cg>, group = 1 : i64} : !tile.ptr<f32> mask i1 other f32 -> f32
  tile.store %p, %plain : !tile.ptr<f32>, f32
  tile.store %p, %full mask %b : !tile.ptr<f32>, f32, i1
  tile.return
})";

struct Versions : testing::Test {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(Loads, context);
  std::vector<mlir::Operation *> ops;

  void SetUp() override {
    ASSERT_TRUE(module);
    for (mlir::Operation &op :
         module->getBody()->front().getRegion(0).front()) {
      ops.push_back(&op);
    }
  }
  std::string ask(unsigned op, unsigned minor, const VersionTables &tables) {
    const OpRecord *record = findOp(ops[op]->getName().getStringRef());
    return needsNewer(ops[op], *record, minor, tables);
  }
};

TEST_F(Versions, TodaysOpsNeedTheFirst) {
  for (mlir::Operation *op : ops) {
    const OpRecord *record = findOp(op->getName().getStringRef());
    EXPECT_EQ(needsNewer(op, *record, 1), "");
    EXPECT_EQ(segmentsAt(op->getAttr("operandSegmentSizes"), *record, 1),
              op->getAttr("operandSegmentSizes"));
  }
}

TEST_F(Versions, ALaterOpIsRefused) {
  OpRecord later = *findOp("tile.load");
  later.since = 3;
  EXPECT_EQ(needsNewer(ops[0], later, 2),
            "needs tile IR 0.3; version 0.2 is written");
  EXPECT_EQ(needsNewer(ops[0], later, 3), "");
}

TEST_F(Versions, AnAppendedOperandIsRefusedWhereItIsUsed) {
  // By segments, and by the number of operands alone.
  const OperandRecord appended[] = {{101, 2, "other", 2}, {102, 2, "mask", 3}};
  VersionTables tables;
  tables.operands = appended;
  EXPECT_EQ(ask(0, 1, tables), "");
  EXPECT_EQ(ask(1, 1, tables),
            "operand 'other' needs tile IR 0.2; version 0.1 is written");
  EXPECT_EQ(ask(1, 2, tables), "");
  EXPECT_EQ(ask(2, 2, tables), "");
  EXPECT_EQ(ask(3, 2, tables),
            "operand 'mask' needs tile IR 0.3; version 0.2 is written");
  // An older reader knows two groups of a load.
  auto sizes = llvm::cast<mlir::DenseI32ArrayAttr>(segmentsAt(
      ops[0]->getAttr("operandSegmentSizes"), *findOp("tile.load"), 1, tables));
  EXPECT_EQ(sizes.asArrayRef(), (llvm::ArrayRef<int32_t>{1, 0}));
}

TEST_F(Versions, AnAppendedAttributeIsRefusedWhereItIsSet) {
  // Every op carries a group; 0 says nothing.
  OpRecord grown = *findOp("tile.load");
  for (AttrRecord &attr : grown.attributes) {
    if (attr.name && llvm::StringRef(attr.name) == "group") {
      attr.since = 2;
    }
  }
  EXPECT_EQ(needsNewer(ops[0], grown, 1), "");
  EXPECT_EQ(needsNewer(ops[1], grown, 1),
            "attribute 'group' needs tile IR 0.2; version 0.1 is written");
  EXPECT_EQ(needsNewer(ops[1], grown, 2), "");
}

TEST_F(Versions, ALaterCaseOfAnEnumIsRefused) {
  const CaseRecord cases[] = {{AttrKind::CacheHint, 0, "none", 1},
                              {AttrKind::CacheHint, 2, "cg", 4}};
  VersionTables tables;
  tables.cases = cases;
  EXPECT_EQ(ask(0, 1, tables), "");
  EXPECT_EQ(ask(1, 3, tables), "'cg' of attribute 'cache' needs tile IR 0.4; "
                               "version 0.3 is written");
  EXPECT_EQ(ask(1, 4, tables), "");
}

TEST_F(Versions, TheTableHasEveryCaseUnderItsName) {
  std::map<AttrKind, std::set<unsigned>> numbers;
  for (const CaseRecord &one : caseRecords()) {
    EXPECT_TRUE(numbers[one.kind].insert(one.number).second) << one.name;
    mlir::Attribute value = enumFromNumber(context, one.kind, one.number);
    ASSERT_TRUE(value) << one.name;
    std::string text;
    llvm::raw_string_ostream stream(text);
    // Both comparisons are plain numbers in attributes.
    if (one.kind == AttrKind::CmpI) {
      stream << mlir::arith::stringifyEnum(
          *mlir::arith::symbolizeCmpIPredicate(one.number));
    } else if (one.kind == AttrKind::CmpF) {
      stream << mlir::arith::stringifyEnum(
          *mlir::arith::symbolizeCmpFPredicate(one.number));
    } else {
      stream << value; // #tile<cache_hint cg>
    }
    auto [kind, name] = llvm::StringRef(text).rsplit(' ');
    EXPECT_EQ((name.empty() ? kind : name.rtrim('>')).str(), one.name);
    EXPECT_GE(one.since, 1u);
    EXPECT_LE(one.since, tile::IrMinor);
  }
  // Every kind that is an enum, and no case left out.
  for (unsigned kind = unsigned(AttrKind::MathFn);
       kind <= unsigned(AttrKind::CmpF); ++kind) {
    std::set<unsigned> &known = numbers[AttrKind(kind)];
    for (unsigned number = 0; number < 64; ++number) {
      EXPECT_EQ(known.count(number) != 0,
                bool(enumFromNumber(context, AttrKind(kind), number)))
          << "kind " << kind << " number " << number;
    }
  }
}

} // namespace
} // namespace tz::wire
