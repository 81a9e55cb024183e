//===- ObserverTest.cpp - what an observer of a run is told ---------------===//
//
// What   The order of calls, values at each moment, ending a run, mistakes.
// Why    A debugger is built on the contract of Observer.h.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Observer.h"

#include "RunKernel.h"

using namespace tz::interpreter;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
/// Writes down what it is told.
struct Diary : Observer {
  bool startProgram(const std::array<uint32_t, 3> &program) override {
    return note("program " + std::to_string(program[0]));
  }
  bool enterBlock(mlir::Block &block, Lookup values) override {
    std::string text =
        "enter " + block.getParentOp()->getName().getStringRef().str();
    for (mlir::Value argument : block.getArguments()) {
      const TileValue *value = values(argument);
      text += value ? " " + std::to_string(value->bitsAt(0)) : " ?";
    }
    return note(text);
  }
  bool beforeOp(mlir::Operation &op, Lookup values) override {
    std::string text = op.getName().getStringRef().str();
    for (mlir::Value operand : op.getOperands()) {
      const TileValue *value = values(operand);
      text += value ? " " + std::to_string(value->bitsAt(0)) : " ?";
    }
    for (mlir::Value result : op.getResults()) {
      text += values(result) ? " known" : " new";
    }
    return note(text);
  }
  bool leaveBlock(mlir::Block &block, Lookup) override {
    return note("leave " + block.getParentOp()->getName().getStringRef().str());
  }
  void found(mlir::Operation &, const Finding &finding) override {
    (void)note("found " + toString(finding.kind).str());
  }
  void failed(mlir::Operation &, llvm::StringRef message) override {
    (void)note("failed " + message.str());
  }
  bool note(std::string text) {
    lines.push_back(std::move(text));
    return lines.size() != endAt;
  }

  std::vector<std::string> lines;
  size_t endAt = 0; // 0: never
};
} // namespace

using Observed = RunKernel;

static const char *const Loop = R"(
tile.kernel @k(%n: i32) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %sum = scf.for %i = %zero to %two step %n iter_args(%acc = %zero) -> i32 : i32 {
    %next = arith.addi %acc, %i : i32
    scf.yield %next : i32
  }
  tile.return
})";

TEST_F(Observed, TellsEachStepWithItsValues) {
  Diary diary;
  options.observer = &diary;
  launch.args.push_back(ArgValue::integer(1));
  EXPECT_EQ(run(Loop), "");
  EXPECT_THAT(diary.lines,
              ElementsAre("program 0", "enter tile.kernel 1",
                          "arith.constant new", "arith.constant new",
                          "scf.for 0 2 1 0 new", "enter scf.for 0 0",
                          "arith.addi 0 0 new", "leave scf.for",
                          "enter scf.for 1 0", "arith.addi 0 1 known",
                          "leave scf.for", "leave tile.kernel"));
}

TEST_F(Observed, ValuesOfTheLastProgramAreForgotten) {
  Diary diary;
  options.observer = &diary;
  launch.args.push_back(ArgValue::integer(1));
  launch.grid = {2, 1, 1};
  EXPECT_EQ(run(Loop), "");
  ASSERT_EQ(diary.lines.size(), 24u);
  EXPECT_EQ(diary.lines[12], "program 1");
  EXPECT_EQ(diary.lines[14], "arith.constant new");
}

TEST_F(Observed, EndsTheRunWithoutAFailureWhereverItSaysSo) {
  for (size_t end = 1; end <= 12; ++end) {
    Diary diary;
    diary.endAt = end;
    options.observer = &diary;
    launch.args = {ArgValue::integer(1)};
    launch.grid = {2, 1, 1};
    EXPECT_EQ(run(Loop), "");
    EXPECT_EQ(diary.lines.size(), end);
    EXPECT_EQ(report.programs, 0u);
  }
}

TEST_F(Observed, BranchesThatAreNotThereAreNotEntered) {
  Diary diary;
  options.observer = &diary;
  launch.args.push_back(ArgValue::integer(0));
  EXPECT_EQ(run(R"(
tile.kernel @k(%c: i1) {
  scf.if %c {
    %zero = arith.constant 0 : i32
  }
  tile.return
})"),
            "");
  EXPECT_THAT(diary.lines, ElementsAre("program 0", "enter tile.kernel 0",
                                       "scf.if 0", "leave tile.kernel"));
}

TEST_F(Observed, TellsOfAMistakeOnceAndOfAFailure) {
  Diary diary;
  std::vector<int32_t> data(4);
  give(data, "data");
  launch.args.push_back(ArgValue::integer(4));
  launch.grid = {2, 1, 1};
  options.checked = true;
  options.observer = &diary;
  const char *const text = R"(
tile.kernel @k(%p: !tile.ptr<i32>, %n: i32) {
  %q = tile.addptr %p, %n : !tile.ptr<i32>, i32
  tile.store %q, %n : !tile.ptr<i32>, i32
  tile.return
})";
  EXPECT_EQ(run(text), "");
  EXPECT_EQ(llvm::count(diary.lines, "found out-of-bounds access"), 1);
  diary.lines.clear();
  options.checked = false;
  EXPECT_THAT(run(text), HasSubstr("right behind the end of 'data'"));
  EXPECT_THAT(diary.lines.back(), HasSubstr("failed access of 4 bytes"));
}
