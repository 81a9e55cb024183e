//===- CheckedTest.cpp - what the interpreter finds wrong -----------------===//
//
// What   Bounds, uninitialised reads, races, promises, assert, print, limits,
//        and launches that do not fit.
// Why    Each is a message that a kernel's author will read.
//
//===----------------------------------------------------------------------===//
#include "RunKernel.h"

using namespace tz::interpreter;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Checked = RunKernel;

static const char *const StoreIndex = R"(
tile.kernel @k(%p: !tile.ptr<i32>, %n: i32) {
  %pid = tile.program_id 0
  %q = tile.addptr %p, %n : !tile.ptr<i32>, i32
  tile.store %q, %pid : !tile.ptr<i32>, i32
  tile.return
})";

TEST_F(Checked, AccessPastTheEndEndsAnUncheckedRun) {
  std::vector<int32_t> data(4);
  give(data, "data");
  launch.args.push_back(ArgValue::integer(5));
  launch.grid = {3, 1, 1};
  const std::string error = run(StoreIndex);
  EXPECT_THAT(error, HasSubstr("t:5:3: access of 4 bytes"));
  EXPECT_THAT(error, HasSubstr("4 bytes past the end of 'data' (16 bytes)"));
  EXPECT_THAT(error, HasSubstr("(program (0, 0, 0))"));
}

TEST_F(Checked, AccessBeforeTheStartIsReportedOncePerOp) {
  std::vector<int32_t> data(4, 7);
  give(data, "data");
  launch.args.push_back(ArgValue::integer(-1));
  launch.grid = {3, 1, 1};
  options.checked = true;
  EXPECT_EQ(run(StoreIndex), "");
  ASSERT_EQ(report.findings.size(), 1u);
  const Finding &finding = report.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::OutOfBounds);
  EXPECT_EQ(finding.location, "t:5:3");
  EXPECT_EQ(finding.count, 3u);
  EXPECT_THAT(finding.message, HasSubstr("4 bytes before 'data'"));
  EXPECT_EQ(finding.address, reinterpret_cast<uintptr_t>(data.data()) - 4);
  EXPECT_THAT(data, ElementsAre(7, 7, 7, 7));
}

TEST_F(Checked, TwoProgramsOnOneByteRace) {
  std::vector<int32_t> data(4);
  give(data, "data");
  launch.args.push_back(ArgValue::integer(2));
  launch.grid = {2, 1, 1};
  options.checked = true;
  EXPECT_EQ(run(StoreIndex), "");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::Race);
  EXPECT_THAT(report.findings[0].message,
              HasSubstr("race between programs: byte 8 of 'data' is written "
                        "here and was written by program (0, 0, 0) at t:"));
  EXPECT_THAT(report.findings[0].program, ElementsAre(1, 0, 0));
  ASSERT_EQ(report.written.size(), 1u);
  EXPECT_EQ(report.written.begin()->second, 4u);
}

TEST_F(Checked, StoresOfOneValueMayBeNoRace) {
  std::vector<int32_t> data(4);
  give(data, "data");
  launch.args.push_back(ArgValue::integer(2));
  launch.grid = {2, 1, 1};
  options.checked = true;
  options.sameValueStoresRace = false;
  std::atomic<uint64_t> done = 0;
  options.programsDone = &done;
  EXPECT_EQ(run(R"(
    tile.kernel @k(%p: !tile.ptr<i32>, %n: i32) {
      tile.store %p, %n : !tile.ptr<i32>, i32
      tile.return
    })"),
            "");
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(done, 2u);
  EXPECT_EQ(run(StoreIndex), ""); // values differ
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::Race);
}

TEST_F(Checked, AtomicsDoNotRace) {
  std::vector<int32_t> data(1);
  give(data, "data");
  launch.grid = {5, 1, 1};
  options.checked = true;
  EXPECT_EQ(run(R"(
    tile.kernel @k(%p: !tile.ptr<i32>) {
      %c1 = arith.constant 1 : i32
      %o = tile.atomic_rmw add relaxed device %p, %c1
             : !tile.ptr<i32> -> i32, i32
      tile.return
    })"),
            "");
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(data[0], 5);
}

TEST_F(Checked, AtomicsAmongTheLanesOfAProgramRaceWithOthers) {
  std::vector<int32_t> data(1);
  give(data, "data");
  launch.grid = {2, 1, 1};
  options.checked = true;
  EXPECT_EQ(run(R"(
    tile.kernel @k(%p: !tile.ptr<i32>) {
      %c1 = arith.constant 1 : i32
      %o = tile.atomic_rmw add relaxed program %p, %c1
             : !tile.ptr<i32> -> i32, i32
      tile.return
    })"),
            "");
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].kind, FindingKind::Race);
}

/// The first program writes %data and tells %flag, the second one acquires
/// that and reads. `late`: what the first does behind that.
static std::string handOverAt(const std::string &scope,
                              const std::string &late = "") {
  return R"(
    tile.kernel @k(%data: !tile.ptr<i32>, %flag: !tile.ptr<i32>) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %pid = tile.program_id 0
      %first = arith.cmpi eq, %pid, %c0 : i32
      scf.if %first {
        tile.store %data, %c1 : !tile.ptr<i32>, i32
        %o = tile.atomic_rmw xchg release )" +
         scope + " %flag, %c1 : !tile.ptr<i32> -> i32, i32\n" + late +
         R"(
      } else {
        %o = tile.atomic_rmw add acquire device %flag, %c0
               : !tile.ptr<i32> -> i32, i32
        %v = tile.load %data : !tile.ptr<i32> -> i32
      }
      tile.return
    })";
}

TEST_F(Checked, AtomicsOrderProgramsWithinTheirScope) {
  std::vector<int32_t> data(1), flag(1);
  give(data, "data");
  give(flag, "flag");
  launch.grid = {2, 1, 1};
  options.checked = true;
  EXPECT_EQ(run(handOverAt("device")), "");
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(run(handOverAt("program")), "");
  ASSERT_EQ(report.findings.size(), 2u) << "of the flag, and of the data";
  EXPECT_EQ(report.findings[0].kind, FindingKind::Race);
}

TEST_F(Checked, WhatAProgramDoesBehindItsReleaseIsNotOrdered) {
  std::vector<int32_t> data(1), flag(1);
  give(data, "data");
  give(flag, "flag");
  launch.grid = {2, 1, 1};
  options.checked = true;
  EXPECT_EQ(run(handOverAt("device", "tile.store %data, %c0 : "
                                     "!tile.ptr<i32>, i32")),
            "");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::Race);
}

/// Each program loads %p, the second way if it is not the first.
static std::string twoLoads(const std::string &second) {
  return R"(
    tile.kernel @k(%p: !tile.ptr<i32>) {
      %c0 = arith.constant 0 : i32
      %pid = tile.program_id 0
      %first = arith.cmpi eq, %pid, %c0 : i32
      scf.if %first {
        %v = tile.load %p {isVolatile} : !tile.ptr<i32> -> i32
      } else {
        )" +
         second + R"(
      }
      tile.return
    })";
}

TEST_F(Checked, VolatileLoadsRaceWithStoresAlone) {
  std::vector<int32_t> data(1);
  give(data, "data");
  launch.grid = {3, 1, 1};
  options.checked = true;
  EXPECT_EQ(run(twoLoads("%v = tile.load %p : !tile.ptr<i32> -> i32")), "");
  EXPECT_EQ(run(twoLoads("%v = tile.load %p {isVolatile} : "
                         "!tile.ptr<i32> -> i32")),
            "");
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(run(twoLoads("tile.store %p, %c0 : !tile.ptr<i32>, i32")), "");
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].kind, FindingKind::Race);
}

/// Program 0 writes data and sets a flag; program 1 reads the flag, then data.
static std::string handOver(const std::string &order) {
  return R"(
    tile.kernel @k(%data: !tile.ptr<i32>, %flag: !tile.ptr<i32>) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %pid = tile.program_id 0
      %first = arith.cmpi eq, %pid, %c0 : i32
      scf.if %first {
        tile.store %data, %c1 : !tile.ptr<i32>, i32
        %o = tile.atomic_rmw xchg )" +
         order + R"( device %flag, %c1 : !tile.ptr<i32> -> i32, i32
      } else {
        %o = tile.atomic_rmw add )" +
         order + R"( device %flag, %c0 : !tile.ptr<i32> -> i32, i32
        %v = tile.load %data : !tile.ptr<i32> -> i32
      }
      tile.return
    })";
}

TEST_F(Checked, ReleaseAndAcquireOrderPrograms) {
  std::vector<int32_t> data(1), flag(1);
  give(data, "data");
  give(flag, "flag");
  launch.grid = {2, 1, 1};
  options.checked = true;
  EXPECT_EQ(run(handOver("acq_rel")), "");
  EXPECT_THAT(report.findings, IsEmpty());
  flag[0] = 0;
  EXPECT_EQ(run(handOver("relaxed")), "");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::Race);
}

TEST_F(Checked, ReadingBeforeWritingIsReported) {
  std::vector<int32_t> in(2), out(2);
  give(in, "scratch", /*initialized=*/false);
  give(out, "out", /*initialized=*/false);
  options.checked = true;
  EXPECT_EQ(run(R"(
    tile.kernel @k(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>) {
      %c1 = arith.constant 1 : i32
      tile.store %p, %c1 : !tile.ptr<i32>, i32
      %v = tile.load %p : !tile.ptr<i32> -> i32
      %p1 = tile.addptr %p, %c1 : !tile.ptr<i32>, i32
      %w = tile.load %p1 : !tile.ptr<i32> -> i32
      tile.return
    })"),
            "");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::UninitializedRead);
  EXPECT_EQ(report.findings[0].location, "t:7:12");
  EXPECT_THAT(report.findings[0].message,
              HasSubstr("byte 4 of 'scratch' is read before it is written"));
}

TEST_F(Checked, DivisionByZeroAndBrokenPromises) {
  launch.args.push_back(ArgValue::integer(0));
  options.checked = true;
  EXPECT_EQ(run(R"(
    tile.kernel @k(%n: i32) {
      %c1 = arith.constant 1 : i32
      %q = tile.divsi %c1, %n : i32
      %positive = arith.cmpi sgt, %n, %q : i32
      tile.assume %positive
      %h = tile.hint %c1 {divisibility = array<i64: 16>} : i32
      %r = tile.range 0 to 4 : tensor<4xi32>
      %fine = tile.hint %r {contiguity = array<i64: 4>} : tensor<4xi32>
      %wrong = tile.hint %r {constancy = array<i64: 2>} : tensor<4xi32>
      tile.return
    })"),
            "");
  std::vector<FindingKind> kinds;
  for (const Finding &finding : report.findings) {
    kinds.push_back(finding.kind);
  }
  EXPECT_THAT(kinds, ElementsAre(FindingKind::DivisionByZero,
                                 FindingKind::BrokenPromise,
                                 FindingKind::BrokenPromise,
                                 FindingKind::BrokenPromise));
  EXPECT_EQ(report.findings[3].location, "t:10:16");
}

TEST_F(Checked, AssertNamesLaneProgramAndMessage) {
  const std::string text = R"(
    tile.kernel @k() {
      %c = arith.constant dense<[[true, true], [false, true]]> : tensor<2x2xi1>
      %m = arith.constant dense<[[true, true], [false, true]]> : tensor<2x2xi1>
      MASKED
      tile.assert %c, "index in range" : tensor<2x2xi1>
      tile.return
    })";
  const std::string error = run(std::string(text).replace(
      text.find("MASKED"), 6,
      "tile.assert %c mask %m, \"not this one\" : tensor<2x2xi1>, "
      "tensor<2x2xi1>"));
  EXPECT_EQ(error, "t:6:7: assertion failed: index in range at [1, 0] "
                   "(program (0, 0, 0))");
}

TEST_F(Checked, PrintGivesALineAnElementAsDevicesDo) {
  std::vector<std::string> lines;
  options.print = [&](const PrintEvent &event) {
    lines.push_back(event.location + ": " + event.text);
  };
  launch.args.push_back(ArgValue::f32(0.5f));
  EXPECT_EQ(run(R"(
    tile.kernel @k(%x: f32) {
      %t = arith.constant dense<[-1, 2]> : tensor<2xi8>
      tile.print "x =" (%x, %t, %t : f32, tensor<2xi8>, tensor<2xi8>)
        {isSigned = array<i1: true, true, false>}
      tile.return
    })"),
            "");
  EXPECT_THAT(lines, ElementsAre("t:4:7: idx () (operand 0) x = 0.5",
                                 "t:4:7: idx (0) (operand 1) x = -1",
                                 "t:4:7: idx (1) (operand 1) x = 2",
                                 "t:4:7: idx (0) (operand 2) x = 255",
                                 "t:4:7: idx (1) (operand 2) x = 2"));
}

TEST_F(Checked, StepLimitEndsALoop) {
  options.stepLimit = 1000;
  EXPECT_THAT(run(R"(
    tile.kernel @k() {
      %t = arith.constant true
      scf.while : () -> () {
        scf.condition(%t)
      } do {
        %c = arith.constant 1 : i32
        scf.yield
      }
      tile.return
    })"),
              HasSubstr("t:4:7: this loop may never end: the program has run "
                        "the limit of 1000 steps; TERRAZZO_INTERP_STEPS=N "
                        "allows N, and 0 any number"));
}

TEST_F(Checked, StepLimitIsOfEachProgramAndTheEnvironmentSetsIt) {
  const char *text = R"(
    tile.kernel @k() {
      %low = arith.constant 0 : i32
      %high = arith.constant 100 : i32
      %step = arith.constant 1 : i32
      scf.for %i = %low to %high step %step : i32 {
      }
      tile.return
    })";
  launch.grid = {3, 1, 1};
  options.stepLimit = 110;
  EXPECT_EQ(run(text), "");
  options.stepLimit = 50;
  EXPECT_THAT(run(text), HasSubstr("t:6:7: this loop may never end"));
  options.stepLimit.reset();
  setenv("TERRAZZO_INTERP_STEPS", "20", 1);
  EXPECT_THAT(run(text), HasSubstr("the limit of 20 steps"));
  setenv("TERRAZZO_INTERP_STEPS", "many", 1);
  EXPECT_THAT(run(text), HasSubstr("'many' is no number of steps"));
  unsetenv("TERRAZZO_INTERP_STEPS");
  EXPECT_EQ(run(text), "");
}

TEST_F(Checked, LoopBoundsAtTheEdgeDoNotOverflow) {
  std::vector<int32_t> turns(1);
  give(turns);
  EXPECT_EQ(run(R"(
    tile.kernel @k(%p: !tile.ptr<i32>) {
      %low = arith.constant 2147483640 : i32
      %high = arith.constant 2147483647 : i32
      %step = arith.constant 5 : i32
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %n = scf.for %i = %low to %high step %step iter_args(%s = %c0) -> (i32)
          : i32 {
        %t = arith.addi %s, %c1 : i32
        scf.yield %t : i32
      }
      tile.store %p, %n : !tile.ptr<i32>, i32
      tile.return
    })"),
            "");
  EXPECT_EQ(turns[0], 2);
}

TEST_F(Checked, MistakesOfTheLaunchAreErrors) {
  const std::string kernel = R"(
    tile.kernel @k(%n: i32) {
      %c0 = arith.constant 0 : i32
      scf.for %i = %c0 to %n step %n : i32 {
      }
      tile.return
    })";
  EXPECT_THAT(run(kernel), HasSubstr("'k' takes 1 arguments, 0 are given"));
  launch.args.push_back(ArgValue::integer(-1));
  EXPECT_THAT(run(kernel), HasSubstr("the step of a loop must be positive"));
  options.onlyProgram = {{0, 7, 0}};
  EXPECT_THAT(run(kernel), HasSubstr("program (0, 7, 0) is not in the grid"));
  options.onlyProgram.reset();
  launch.grid = {65536, 65536, 1};
  EXPECT_THAT(run(kernel), HasSubstr("more than 2^31 - 1 programs"));
  launch.grid = {0, 1, 1};
  EXPECT_EQ(run(kernel), "");
  EXPECT_EQ(report.programs, 0u);
}

TEST_F(Checked, AnOpOutsideTileIrIsNamed) {
  EXPECT_THAT(run(R"(
    tile.kernel @k(%x: i32) {
      %y = arith.divsi %x, %x : i32
      tile.return
    })"),
              HasSubstr("arguments"));
  launch.args.push_back(ArgValue::integer(1));
  EXPECT_THAT(run(R"(
    tile.kernel @k(%x: i32) {
      %y = arith.divsi %x, %x : i32
      tile.return
    })"),
              HasSubstr("t:3:12: 'arith.divsi' is not an op of tile IR"));
}

TEST_F(Checked, OnlyOneProgramRuns) {
  std::vector<int32_t> data(1, -1);
  give(data);
  launch.args.push_back(ArgValue::integer(0));
  launch.grid = {4, 1, 1};
  options.onlyProgram = {{2, 0, 0}};
  EXPECT_EQ(run(StoreIndex), "");
  EXPECT_EQ(data[0], 2);
  EXPECT_EQ(report.programs, 1u);
}

//===----------------------------------------------------------------------===//
// R3: address arithmetic does not overflow
//===----------------------------------------------------------------------===//

/// A kernel of one program over an i32 buffer, `n` = 2^30.
static std::string addressKernel(const std::string &body) {
  return "tile.kernel @k(%p: !tile.ptr<i32>, %n: i32) {\n"
         "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
         "%c4 = arith.constant 4 : i32\n" +
         body + "\ntile.return\n}";
}

class AddressOverflow : public RunKernel {
protected:
  /// Where an overflow of `body` is reported; empty: nowhere.
  std::vector<std::string> placesIn(const std::string &body) {
    data.assign(16, 0);
    launch.args.clear();
    options.memory.clear();
    give(data, "data");
    launch.args.push_back(ArgValue::integer(1 << 30));
    options.checked = true;
    EXPECT_EQ(run(addressKernel(body)), "") << body;
    std::vector<std::string> places;
    for (const Finding &finding : report.findings) {
      if (finding.kind == FindingKind::AddressOverflow) {
        places.push_back(finding.location);
        message = finding.message;
        program = finding.program;
      }
    }
    return places;
  }

  std::vector<int32_t> data;
  std::string message;
  std::array<uint32_t, 3> program{};
};

TEST_F(AddressOverflow, IsReportedWhereAnOffsetIsComputed) {
  launch.grid = {2, 1, 1};
  EXPECT_THAT(placesIn(R"(%pid = tile.program_id 0
    %four = arith.muli %pid, %c4 : i32
    %o = arith.muli %four, %n : i32
    %q = tile.addptr %p, %o : !tile.ptr<i32>, i32
    tile.store %q, %c0 : !tile.ptr<i32>, i32)"),
              ElementsAre("t:7:10"));
  EXPECT_EQ(message, "overflow in address arithmetic: 4 * 1073741824 does not "
                     "fit in i32");
  EXPECT_EQ(program[0], 1u);
}

TEST_F(AddressOverflow, IsReportedBehindExtensionsShapesAndLoops) {
  EXPECT_THAT(placesIn(R"(%r = tile.range 0 to 4 : tensor<4xi32>
    %s = tile.splat %n : i32 -> tensor<4xi32>
    %t = arith.addi %s, %s : tensor<4xi32>
    %w = arith.extsi %t : tensor<4xi32> to tensor<4xi64>
    %e = tile.reshape %w : tensor<4xi64> -> tensor<4x1xi64>
    %b = tile.broadcast %e : tensor<4x1xi64> -> tensor<4x2xi64>
    %ps = tile.splat %p : !tile.ptr<i32> -> tensor<4x2x!tile.ptr<i32>>
    %q = tile.addptr %ps, %b : tensor<4x2x!tile.ptr<i32>>, tensor<4x2xi64>)"),
              ElementsAre("t:7:10"));
  EXPECT_EQ(report.findings[0].count, 4u);
  EXPECT_THAT(placesIn(R"(%o = scf.for %i = %c0 to %c4 step %c1
        iter_args(%at = %c0) -> (i32) : i32 {
      %next = arith.addi %at, %n : i32
      scf.yield %next : i32
    }
    %q = tile.addptr %p, %o : !tile.ptr<i32>, i32)"),
              ElementsAre("t:7:15"));
}

TEST_F(AddressOverflow, IsReportedWhereAMaskIsComputed) {
  EXPECT_THAT(placesIn(R"(%o = arith.addi %n, %n : i32
    %in = arith.cmpi slt, %o, %n : i32
    %low = arith.cmpi sge, %c0, %c0 : i32
    %m = arith.andi %in, %low : i1
    tile.store %p, %c0 mask %m : !tile.ptr<i32>, i32, i1)"),
              ElementsAre("t:5:6"));
  // Read as unsigned, 2^31 fits.
  EXPECT_THAT(placesIn(R"(%o = arith.addi %n, %n : i32
    %in = arith.cmpi ult, %o, %n : i32
    tile.store %p, %c0 mask %in : !tile.ptr<i32>, i32, i1)"),
              IsEmpty());
}

TEST_F(AddressOverflow, IsNotReportedForHashesAndOtherUses) {
  // Multiplied, shifted, xored, reduced modulo: a hash may index memory.
  EXPECT_THAT(placesIn(R"(%k = arith.constant -1640531527 : i32
    %h = arith.muli %n, %k : i32
    %s = arith.constant 16 : i32
    %t = tile.shrui %h, %s : i32
    %x = arith.xori %h, %t : i32
    %y = arith.muli %x, %k : i32
    %z = tile.remui %y, %c4 : i32
    %q = tile.addptr %p, %z : !tile.ptr<i32>, i32
    tile.store %q, %c0 : !tile.ptr<i32>, i32)"),
              IsEmpty());
  // A value that is stored, or compared for another purpose than a mask.
  EXPECT_THAT(placesIn(R"(%h = arith.addi %n, %n : i32
    %c = arith.cmpi slt, %h, %c0 : i32
    %v = arith.select %c, %h, %c0 : i32
    tile.store %p, %v : !tile.ptr<i32>, i32)"),
              IsEmpty());
  // In 64 bits it fits.
  EXPECT_THAT(placesIn(R"(%w = arith.extsi %n : i32 to i64
    %h = arith.addi %w, %w : i64
    %q = tile.addptr %p, %h : !tile.ptr<i32>, i64)"),
              IsEmpty());
}
