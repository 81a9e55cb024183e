//===- RuntimeLaunchTest.cpp - from an artifact to what a vendor receives -===//
//
// What   Variants, physical grids, packed arguments, derived arguments, print
//        and assert; failures of any device call.
// Why    The launch plan is evaluated in one place for all vendors.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/EchoPlugin.h"

#include "runtime/launch/LoadedKernel.h"

#include <gmock/gmock.h>

using namespace tz::runtime;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

tz_expr_step c(int64_t v) { return {TZ_X_CONST, 0, v}; }
tz_expr_step op(uint32_t o) { return {o, 0, 0}; }
tz_expr_step arg(uint32_t i) { return {TZ_X_ARG, i, 0}; }

ArgInfo slot(uint32_t kind, uint32_t index, uint32_t type, uint32_t size,
             uint32_t offset) {
  ArgInfo a;
  a.name = "a" + std::to_string(offset);
  a.kind = kind;
  a.index = index;
  a.type = type;
  a.size = size;
  a.align = std::min(size, 8u);
  a.offset = offset;
  return a;
}

class Launch : public testing::Test {
protected:
  void SetUp() override {
    Echo::instance().reset();
    RegistryOptions options;
    options.readEnvironment = false;
    options.defaultFolders = {"/nonexistent"};
    options.builtins = {echoPlugin()};
    registry = std::make_unique<Registry>(options);
    open(0);
    code = std::make_shared<Artifact>();
    code->plugin = "echo";
    code->function = "kernel";
    code->variants.resize(1);
    code->variants[0].name = "general";
  }
  void TearDown() override {
    kernel.reset();
    stream.reset();
    device.reset();
    EXPECT_EQ(Echo::instance().allocations, Echo::instance().frees);
  }
  void open(size_t index) {
    device = *Device::open(**registry->find("echo"), index);
    stream = std::move(*device->createStream());
    stream->setPrintSink(
        [this](std::string_view line) { lines.emplace_back(line); });
  }
  Status launch(std::array<int64_t, 3> grid, std::vector<ArgValue> args) {
    if (!kernel) {
      EXPECT_TRUE(code->verify().ok()) << code->verify().message();
      auto loaded = LoadedKernel::load(device, code);
      if (!loaded) {
        return loaded.takeStatus();
      }
      kernel = std::move(*loaded);
    }
    return kernel->launch(*stream, grid, args);
  }
  void user(std::vector<uint32_t> types) {
    code->userTypes = types;
    for (uint32_t i = 0; i < types.size(); ++i) {
      code->userLeaves.push_back(i);
    }
  }
  const EchoLaunch &last() { return Echo::instance().launches.back(); }
  template <typename T>
  T packed(uint32_t offset) {
    T v;
    std::memcpy(&v, last().args.data() + offset, sizeof(T));
    return v;
  }

  std::unique_ptr<Registry> registry;
  std::shared_ptr<Device> device;
  std::unique_ptr<Stream> stream;
  std::shared_ptr<Artifact> code;
  std::unique_ptr<LoadedKernel> kernel;
  std::vector<std::string> lines;
};

TEST_F(Launch, AnOlderDeviceHalfRunsAndTellsFaultsWithoutTheirLine) {
  TearDown();
  RegistryOptions options;
  options.readEnvironment = false;
  options.defaultFolders = {"/nonexistent"};
  options.builtins = {echoPlugin()};
  Echo::instance().isOld = true;
  registry = std::make_unique<Registry>(options);
  open(0);
  EXPECT_TRUE(launch({1, 1, 1}, {}).ok());
  EXPECT_EQ(Echo::instance().launches.size(), 1u);
  const Status told =
      kernel->withPlace(Status(TZ_E_FAULT, "a fault").with("pc_offset", "4"));
  EXPECT_EQ(told.message(), "a fault");
  EXPECT_EQ(told.fact("line"), nullptr);
}

TEST_F(Launch, PacksUserArgumentsAtTheirOffsets) {
  user({TZ_TYPE_PTR, TZ_TYPE_I32, TZ_TYPE_F64, TZ_TYPE_I1});
  Variant &v = code->variants[0];
  v.argBytes = 40;
  v.args = {slot(TZ_ARG_USER, 2, TZ_TYPE_F64, 8, 0),
            slot(TZ_ARG_USER, 0, TZ_TYPE_PTR, 8, 8),
            slot(TZ_ARG_USER, 1, TZ_TYPE_I32, 4, 16),
            slot(TZ_ARG_USER, 3, TZ_TYPE_I1, 1, 20),
            slot(TZ_ARG_LOGICAL_GRID, 1, 0, 4, 24),
            slot(TZ_ARG_LOGICAL_GRID, 2, 0, 8, 32)};
  double d = 2.5;
  uint64_t bits;
  std::memcpy(&bits, &d, 8);
  ASSERT_TRUE(launch({5, 6, 7}, {{TZ_TYPE_PTR, 0x1234},
                                 {TZ_TYPE_I32, uint64_t(int64_t(-3))},
                                 {TZ_TYPE_F64, bits},
                                 {TZ_TYPE_I1, 1}})
                  .ok());
  EXPECT_EQ(packed<double>(0), 2.5);
  EXPECT_EQ(packed<uint64_t>(8), 0x1234u);
  EXPECT_EQ(packed<int32_t>(16), -3);
  EXPECT_EQ(packed<uint8_t>(20), 1);
  EXPECT_EQ(packed<uint8_t>(21), 0) << "between slots there are zeros";
  EXPECT_EQ(packed<uint32_t>(24), 6u);
  EXPECT_EQ(packed<uint64_t>(32), 7u);
  EXPECT_THAT(last().grid, ElementsAre(5, 6, 7));
}

TEST_F(Launch, RefusesWrongCountsAndWidths) {
  user({TZ_TYPE_I32});
  EXPECT_THAT(launch({1, 1, 1}, {}).message(), HasSubstr("takes 1 run-time"));
  EXPECT_THAT(launch({1, 1, 1}, {{TZ_TYPE_I64, 0}}).message(),
              HasSubstr("is i64, the compiled code takes i32"));
  EXPECT_TRUE(launch({1, 1, 1}, {{TZ_TYPE_U32, 0}}).ok());
}

TEST_F(Launch, TakesTheFirstVariantWhoseGuardHolds) {
  user({TZ_TYPE_PTR});
  code->variants.insert(code->variants.begin(), Variant());
  Variant &fast = code->variants[0];
  fast.name = "aligned";
  fast.guard = {arg(0), c(16), op(TZ_X_REM), c(0), op(TZ_X_EQ)};
  // A third of the logical grid, times what fits a compute unit.
  fast.grid[0] = {{TZ_X_GRID, 0, 0},
                  c(3),
                  op(TZ_X_CEILDIV),
                  op(TZ_X_OCCUPANCY),
                  op(TZ_X_MUL)};
  fast.flags = TZ_KERNEL_ORDERED;
  ASSERT_TRUE(launch({10, 1, 1}, {{TZ_TYPE_PTR, 0x1000}}).ok());
  EXPECT_THAT(Echo::instance().sought, ElementsAre("aligned"))
      << "the other one may have to be made first";
  EXPECT_EQ(last().kernel, "aligned");
  EXPECT_EQ(last().grid[0], 12u);
  EXPECT_EQ(last().flags, uint32_t(TZ_LAUNCH_ORDERED));
  ASSERT_TRUE(launch({10, 1, 1}, {{TZ_TYPE_PTR, 0x1004}}).ok());
  EXPECT_EQ(last().kernel, "general");
  EXPECT_EQ(last().grid[0], 10u);
  ASSERT_TRUE(launch({10, 1, 1}, {{TZ_TYPE_PTR, 0x1004}}).ok());
  EXPECT_THAT(Echo::instance().sought, ElementsAre("aligned", "general"));
}

TEST_F(Launch, AKernelThatIsNotThereFailsTheLaunchThatChoosesIt) {
  user({TZ_TYPE_PTR});
  code->variants.insert(code->variants.begin(), Variant());
  code->variants[0].name = "aligned";
  code->variants[0].guard = {arg(0), c(16), op(TZ_X_REM), c(0), op(TZ_X_EQ)};
  ASSERT_TRUE(launch({1, 1, 1}, {{TZ_TYPE_PTR, 0x1000}}).ok());
  Echo::instance().failAt = 0;
  EXPECT_FALSE(launch({1, 1, 1}, {{TZ_TYPE_PTR, 0x1004}}).ok());
  Echo::instance().failAt = -1;
  EXPECT_TRUE(launch({1, 1, 1}, {{TZ_TYPE_PTR, 0x1000}}).ok());
  EXPECT_TRUE(launch({1, 1, 1}, {{TZ_TYPE_PTR, 0x1004}}).ok());
}

TEST_F(Launch, APlanThatOverflowsIsAnError) {
  code->variants[0].grid[0] = {c(INT64_MAX), c(2), op(TZ_X_MUL)};
  Status s = launch({1, 1, 1}, {});
  EXPECT_EQ(s.code(), TZ_E_OUT_OF_RANGE);
  EXPECT_THAT(s.message(), HasSubstr("9223372036854775807 * 2"));
  kernel.reset();
  code->variants[0].grid[0] = {c(0)};
  EXPECT_THAT(launch({1, 1, 1}, {}).message(), HasSubstr("physical grid"));
}

TEST_F(Launch, WorkspaceIsKeptAndZeroedAsAsked) {
  user({TZ_TYPE_I64});
  Variant &v = code->variants[0];
  v.argBytes = 16;
  v.args = {slot(TZ_ARG_WORKSPACE, 0, 0, 8, 0),
            slot(TZ_ARG_TICKET, 0, 0, 8, 8)};
  v.workspaceBytes = {arg(0)};
  v.workspaceAlign = 4096;
  v.workspaceZero = TZ_ZERO_EACH;
  Echo::instance().body = [&](const EchoLaunch &) {
    auto *space = reinterpret_cast<uint32_t *>(packed<uint64_t>(0));
    auto *ticket = reinterpret_cast<uint32_t *>(packed<uint64_t>(8));
    EXPECT_EQ(space[0], 0u);
    EXPECT_EQ(*ticket, 0u);
    space[0] = *ticket = 99;
  };
  ASSERT_TRUE(launch({1, 1, 1}, {{TZ_TYPE_I64, 64}}).ok());
  uint64_t first = packed<uint64_t>(0);
  EXPECT_EQ(first % 4096, 0u);
  ASSERT_TRUE(launch({1, 1, 1}, {{TZ_TYPE_I64, 32}}).ok());
  EXPECT_EQ(packed<uint64_t>(0), first) << "smaller fits the old one";
  size_t before = Echo::instance().allocations;
  ASSERT_TRUE(launch({1, 1, 1}, {{TZ_TYPE_I64, 64}}).ok());
  EXPECT_EQ(Echo::instance().allocations, before);
  Status negative = launch({1, 1, 1}, {{TZ_TYPE_I64, uint64_t(-8)}});
  EXPECT_EQ(negative.code(), TZ_E_OUT_OF_RANGE);
}

TEST_F(Launch, TensorViewsAreEncodedByTheDevice) {
  user({TZ_TYPE_PTR, TZ_TYPE_I32});
  Variant &v = code->variants[0];
  v.argBytes = 128;
  v.args = {slot(TZ_ARG_TENSOR_VIEW, 0, 0, 128, 0)};
  v.args[0].view.baseArg = 0;
  v.args[0].view.elementBits = 16;
  v.args[0].view.byteOffset = {c(32)};
  v.args[0].view.dims = {{arg(1)}, {c(8)}};
  v.args[0].view.strides = {{arg(1), c(2), op(TZ_X_MUL)}, {c(1)}};
  ASSERT_TRUE(
      launch({1, 1, 1}, {{TZ_TYPE_PTR, 0x1000}, {TZ_TYPE_I32, 21}}).ok());
  EXPECT_EQ(packed<int64_t>(0), 0x1020);
  EXPECT_EQ(packed<int64_t>(16), 21);
  EXPECT_EQ(packed<int64_t>(24), 42);
}

/// Appends a record as plugin.h tells a kernel to.
void append(uint64_t ring, tz_log_record record, const void *payload,
            uint32_t bytes) {
  auto *header = reinterpret_cast<tz_log_header *>(ring);
  record.size = (uint32_t(sizeof(record)) + bytes + 7) & ~7u;
  uint64_t at = header->reserved;
  header->reserved += record.size;
  auto *data = reinterpret_cast<uint8_t *>(ring + sizeof(*header));
  if (at + record.size <= header->capacity) {
    std::memcpy(data + at, &record, sizeof(record));
    if (bytes) {
      std::memcpy(data + at + sizeof(record), payload, bytes);
    }
  } else {
    ++header->dropped;
    if (at < header->capacity) {
      std::memset(data + at, 0, 4);
    }
  }
}

class Log : public Launch, public testing::WithParamInterface<int> {
protected:
  void SetUp() override {
    Launch::SetUp();
    stream.reset();
    open(size_t(GetParam())); // 0: host memory, 1: through copies
    code->variants[0].argBytes = 8;
    code->variants[0].args = {slot(TZ_ARG_LOG, 0, 0, 8, 0)};
    LogSite print;
    print.kind = TZ_LOG_PRINT;
    print.text = "x =";
    print.values = {{TZ_TYPE_F16, {2, 2}}};
    LogSite assertion;
    assertion.kind = TZ_LOG_ASSERT;
    assertion.text = "index in range";
    assertion.file = "kernel.py";
    assertion.line = 12;
    assertion.function = "gather";
    code->logSites = {print, assertion};
  }
};

TEST_P(Log, PrintsEachElementWithItsProgramAndIndex) {
  Echo::instance().body = [&](const EchoLaunch &) {
    uint16_t half[2] = {0x3c00, 0xc100};
    tz_log_record record{};
    record.program[1] = 4;
    record.first = 1;
    record.count = 2;
    append(packed<uint64_t>(0), record, half, sizeof(half));
  };
  ASSERT_TRUE(launch({1, 1, 1}, {}).ok());
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_THAT(lines, ElementsAre("pid (0, 4, 0) idx (0, 1) x = 1",
                                 "pid (0, 4, 0) idx (1, 0) x = -2.5"));
  lines.clear();
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_TRUE(lines.empty()) << "the ring was emptied";
}

/// Two events of a subgroup, at sites 2 and `second`.
std::vector<uint8_t> partsPayload(uint32_t second) {
  tz_log_events head{};
  head.clock = TZ_CLOCK_CYCLES;
  head.subgroup = 3;
  head.began = 1000;
  head.ended = 1900;
  const uint64_t events[2] = {uint64_t(2) << 48 | 10,
                              uint64_t(second) << 48 | 250};
  std::vector<uint8_t> payload(sizeof(head) + sizeof(events));
  std::memcpy(payload.data(), &head, sizeof(head));
  std::memcpy(payload.data() + sizeof(head), events, sizeof(events));
  return payload;
}

TEST_P(Log, PartsOfProgramsGoToWhoeverAsks) {
  LogSite part;
  part.kind = TZ_LOG_PART;
  part.text = "load";
  code->logSites.push_back(part);
  part.flags = TZ_LOG_END;
  code->logSites.push_back(part);
  // One that is right; of an unknown site, of a print's, with fewer events than
  // it says, and without a whole head.
  Echo::instance().body = [&](const EchoLaunch &) {
    tz_log_record record{};
    record.site = 2;
    record.program[0] = 5;
    record.first = 7;
    record.count = 2;
    for (uint32_t second : {3u, 9u, 0u}) {
      const std::vector<uint8_t> payload = partsPayload(second);
      append(packed<uint64_t>(0), record, payload.data(), payload.size());
    }
    const std::vector<uint8_t> payload = partsPayload(3);
    append(packed<uint64_t>(0), record, payload.data(), payload.size() - 8);
    record.count = 0;
    append(packed<uint64_t>(0), record, payload.data(), 8);
  };
  ASSERT_TRUE(launch({1, 1, 1}, {}).ok());
  LaunchParts parts;
  ASSERT_TRUE(stream->synchronize(&parts).ok());
  const std::vector<ProgramParts> &told = parts.programs;
  EXPECT_TRUE(lines.empty()) << "they are no prints";
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].program[0], 5u);
  EXPECT_EQ(told[0].subgroup, 3u);
  EXPECT_EQ(told[0].ended - told[0].began, 900u);
  EXPECT_EQ(told[0].forgotten, 7u);
  ASSERT_EQ(told[0].numEvents, 2u);
  EXPECT_EQ(parts.eventsOf(told[0])[1].site, 3u);
  EXPECT_EQ(parts.eventsOf(told[0])[1].clock, 250u);
}

TEST_P(Log, AFailedAssertNamesPlaceAndProgramOnce) {
  Echo::instance().body = [&](const EchoLaunch &) {
    auto *header = reinterpret_cast<tz_log_header *>(packed<uint64_t>(0));
    header->failed = 2;
    header->failed_program[0] = 7;
  };
  ASSERT_TRUE(launch({1, 1, 1}, {}).ok());
  Status s = stream->synchronize();
  EXPECT_EQ(s.code(), TZ_E_ASSERTION);
  EXPECT_EQ(s.message(),
            "kernel.py:12: device assertion failed: index in range "
            "(in gather), program (7, 0, 0)");
  EXPECT_TRUE(stream->synchronize().ok()) << "the context survives";
}

/// A report of `bounds`, value by value, as one thread of a program writes it.
void appendReport(uint64_t ring, uint32_t site, uint32_t program, int32_t lane,
                  int32_t lanes, int64_t element, int64_t elements) {
  tz_log_record record{};
  record.site = site;
  record.program[0] = program;
  record.count = 1;
  append(ring, record, &lane, sizeof(lane));
  record.value = 1;
  append(ring, record, &lanes, sizeof(lanes));
  record.value = 2;
  append(ring, record, &element, sizeof(element));
  record.value = 3;
  append(ring, record, &elements, sizeof(elements));
}

TEST_P(Log, ReportsOfSanitizersBecomeOneError) {
  LogSite report;
  report.kind = TZ_LOG_REPORT;
  report.text = "bounds;load;x;4x8";
  report.file = "kernel.py";
  report.line = 9;
  report.col = 5;
  report.function = "gather";
  report.values = {{TZ_TYPE_I32, {}},
                   {TZ_TYPE_I32, {}},
                   {TZ_TYPE_I64, {}},
                   {TZ_TYPE_I64, {}}};
  code->logSites.push_back(report);
  report.text = "bounds;store;out;";
  report.line = 11;
  code->logSites.push_back(report);
  Echo::instance().body = [&](const EchoLaunch &) {
    const auto ring = packed<uint64_t>(0);
    // A value without its first, and one of a report that was cut off.
    tz_log_record stray{};
    stray.site = 2;
    stray.value = 1;
    stray.count = 1;
    append(ring, stray, &stray.value, 4);
    stray.value = 0;
    append(ring, stray, &stray.value, 4);
    appendReport(ring, 3, 5, 0, 1, -1, 0);
    appendReport(ring, 2, 2, 10, 3, 1000, 1000);
    appendReport(ring, 2, 3, 0, 32, 1024, 1000);
  };
  ASSERT_TRUE(launch({1, 1, 1}, {}).ok());
  Status s = stream->synchronize();
  EXPECT_EQ(s.code(), TZ_E_ASSERTION);
  EXPECT_EQ(s.message(),
            "kernel.py:9:5: bounds: load of element 1000 of 'x', which has "
            "elements 0 to 999; tile element (1, 2), the first of 3 of 32; "
            "program (2, 0, 0) (in gather); 3 more reports, also at "
            "kernel.py:11:5");
  EXPECT_EQ(*s.fact("sanitizer"), "bounds");
  EXPECT_EQ(*s.fact("array"), "x");
  EXPECT_EQ(*s.fact("element"), "1000");
  EXPECT_TRUE(lines.empty()) << "a report is no print";
  EXPECT_TRUE(stream->synchronize().ok());
}

TEST_F(Launch, ChecksOfBoundsAreToldWhereArraysEnd) {
  user({TZ_TYPE_PTR, TZ_TYPE_I32});
  Variant &v = code->variants[0];
  v.argBytes = 32;
  v.args = {slot(TZ_ARG_USER, 0, TZ_TYPE_PTR, 8, 0),
            slot(TZ_ARG_USER, 1, TZ_TYPE_I32, 4, 8),
            slot(TZ_ARG_USER, 2, TZ_TYPE_I64, 8, 16),
            slot(TZ_ARG_USER, 3, TZ_TYPE_I64, 8, 24)};
  ArgumentSpec array, number;
  array.kind = number.kind = ArgumentSpec::Runtime;
  array.type = TZ_TYPE_PTR;
  number.type = TZ_TYPE_I32;
  code->parameters = {{"x", array}, {"n", number}};
  v.args[2].name = "x.begin";
  v.args[3].name = "x.end";
  ASSERT_TRUE(code->verify().ok());
  const tz_memory_range ranges[] = {{0x1000, 0x800, "storage"},
                                    {0x1000, 0x10, "x"}};
  stream->knowMemory(ranges);
  ASSERT_TRUE(
      launch({1, 1, 1}, {{TZ_TYPE_PTR, 0x1008}, {TZ_TYPE_I32, 1}}).ok());
  EXPECT_EQ(packed<int64_t>(16), 0x1000);
  EXPECT_EQ(packed<int64_t>(24), 0x1010) << "the shortest that holds it";
  ASSERT_TRUE(launch({1, 1, 1}, {{TZ_TYPE_PTR, 0x10}, {TZ_TYPE_I32, 1}}).ok());
  EXPECT_EQ(packed<int64_t>(16), 0);
  EXPECT_EQ(packed<int64_t>(24), INT64_MAX) << "not known";
  v.args[3].name = "other.end";
  EXPECT_FALSE(code->verify().ok());
}

TEST_P(Log, AFullRingSaysHowManyWereLost) {
  Echo::instance().body = [&](const EchoLaunch &) {
    for (int i = 0; i < 40000; ++i) {
      uint16_t one = 0x3c00;
      tz_log_record record{};
      record.count = 1;
      append(packed<uint64_t>(0), record, &one, sizeof(one));
    }
  };
  ASSERT_TRUE(launch({1, 1, 1}, {}).ok());
  ASSERT_TRUE(stream->synchronize().ok());
  size_t fit = logCapacity() / 40;
  ASSERT_EQ(lines.size(), fit + 1);
  EXPECT_THAT(lines.back(),
              HasSubstr(std::to_string(40000 - fit) + " more records"));
}

TEST_P(Log, IsToldWithoutWaitingWhereTheHostReachesIt) {
  uint16_t next = 0x3c00;
  Echo::instance().body = [&](const EchoLaunch &) {
    tz_log_record record{};
    record.count = 1;
    append(packed<uint64_t>(0), record, &next, sizeof(next));
  };
  ASSERT_TRUE(launch({1, 1, 1}, {}).ok());
  const size_t waits = Echo::instance().waits;
  Echo::instance().isBehind = true;
  ASSERT_TRUE(stream->poll().ok());
  EXPECT_TRUE(lines.empty()) << "the launch may still run";
  // Later launches write elsewhere, so that the first is told once it ended.
  next = 0xc100;
  ASSERT_TRUE(launch({1, 1, 1}, {}).ok());
  Echo::instance().isBehind = false;
  ASSERT_TRUE(stream->poll().ok());
  const bool isReached = GetParam() == 0;
  EXPECT_EQ(lines.size(), isReached ? 1u : 0u);
  EXPECT_EQ(Echo::instance().waits, waits) << "a poll waited";
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_THAT(lines, ElementsAre("pid (0, 0, 0) idx (0, 0) x = 1",
                                 "pid (0, 0, 0) idx (0, 0) x = -2.5"));
}

TEST_P(Log, LaunchesNeitherWaitNorCopy) {
  ASSERT_TRUE(launch({1, 1, 1}, {}).ok()); // makes the ring
  const size_t waits = Echo::instance().waits;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(stream->poll().ok());
    ASSERT_TRUE(launch({1, 1, 1}, {}).ok());
  }
  EXPECT_EQ(Echo::instance().waits, waits);
}

TEST_P(Log, OfAGraphIsToldBySynchronizeAlone) {
  Echo::instance().isRecording = true;
  ASSERT_TRUE(launch({1, 1, 1}, {}).ok());
  const uint64_t ring = packed<uint64_t>(0);
  Echo::instance().isRecording = false;
  for (int replay = 0; replay < 3; ++replay) {
    uint16_t one = 0x3c00;
    tz_log_record record{};
    record.count = 1;
    append(ring, record, &one, sizeof(one));
    ASSERT_TRUE(stream->poll().ok());
    EXPECT_TRUE(lines.empty()) << "the replay may still run";
    ASSERT_TRUE(stream->synchronize().ok());
    EXPECT_EQ(lines.size(), 1u);
    lines.clear();
  }
}

/// Whatever a wrong kernel leaves in the ring, decoding ends.
TEST_P(Log, GarbageInTheRingIsSurvived) {
  uint32_t state = 1;
  for (int round = 0; round < 50; ++round) {
    Echo::instance().body = [&](const EchoLaunch &) {
      auto *bytes = reinterpret_cast<uint8_t *>(packed<uint64_t>(0));
      for (int i = 0; i < 512; ++i) {
        state = state * 1664525 + 1013904223;
        bytes[i] = i >= 64 && i % 4 ? 0 : uint8_t(state >> 24);
      }
    };
    ASSERT_TRUE(launch({1, 1, 1}, {}).ok());
    (void)stream->synchronize();
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, Log, testing::Values(0, 1));

TEST(LogValues, AreWrittenShortAndExact) {
  auto text = [](uint32_t type, uint64_t bits, bool hex = false) {
    return formatValue(type, reinterpret_cast<const uint8_t *>(&bits), hex);
  };
  EXPECT_EQ(text(TZ_TYPE_F32, 0x3dcccccd), "0.1");
  EXPECT_EQ(text(TZ_TYPE_F64, 0x3fb999999999999a), "0.1");
  EXPECT_EQ(text(TZ_TYPE_BF16, 0x3f80), "1");
  EXPECT_EQ(text(TZ_TYPE_F16, 0x7bff), "65504");
  EXPECT_EQ(text(TZ_TYPE_F16, 0x0001), "5.96046e-08");
  EXPECT_EQ(text(TZ_TYPE_F8E4M3FN, 0x7e), "448");
  EXPECT_EQ(text(TZ_TYPE_F8E5M2, 0x7b), "57344");
  EXPECT_EQ(text(TZ_TYPE_F8E4M3FNUZ, 0x7f), "240");
  EXPECT_EQ(text(TZ_TYPE_F8E5M2FNUZ, 0x7f), "57344");
  EXPECT_EQ(text(TZ_TYPE_F8E4M3FNUZ, 0x80), "nan");
  EXPECT_EQ(text(TZ_TYPE_F8E4M3FN, 0x7f), "nan");
  EXPECT_EQ(text(TZ_TYPE_F32, 0xffc00000), "nan");
  EXPECT_EQ(text(TZ_TYPE_I8, 0xff), "-1");
  EXPECT_EQ(text(TZ_TYPE_U8, 0xff), "255");
  EXPECT_EQ(text(TZ_TYPE_I32, 255, true), "0x000000ff");
}

/// Every device call fails once, in turn; nothing leaks, nothing crashes, and
/// the error carries the device's words.
TEST_F(Launch, EachCallMayFail) {
  user({TZ_TYPE_I64});
  Variant &v = code->variants[0];
  v.argBytes = 24;
  v.args = {slot(TZ_ARG_WORKSPACE, 0, 0, 8, 0), slot(TZ_ARG_TICKET, 0, 0, 8, 8),
            slot(TZ_ARG_LOG, 0, 0, 8, 16)};
  v.workspaceBytes = {arg(0)};
  v.workspaceZero = TZ_ZERO_ONCE;
  int failures = 0;
  for (int at = 0;; ++at) {
    ASSERT_LT(at, 100);
    kernel.reset();
    stream = std::move(*device->createStream());
    Echo::instance().failAt = at;
    Status s = launch({1, 1, 1}, {{TZ_TYPE_I64, 64}});
    if (s.ok()) {
      s = stream->synchronize();
    }
    bool reached = Echo::instance().failAt < 0;
    Echo::instance().failAt = -1;
    if (!reached) {
      ASSERT_TRUE(s.ok()) << s.message();
      break;
    }
    ++failures;
    EXPECT_EQ(s.code(), TZ_E_UNAVAILABLE);
    EXPECT_THAT(s.message(), HasSubstr("injected failure"));
  }
  EXPECT_GE(failures, 8);
}

} // namespace
