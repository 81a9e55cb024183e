//===- RobustnessTest.cpp - what is not ours is rejected ------------------===//
//
// What   Truncation at every byte, seeded bit flips with and without a right
//        hash, future versions, unknown opcodes.
// Why    A portable file may be damaged, cut, newer or hostile. The reader says
//        so in one message and never takes another program for this one.
//===----------------------------------------------------------------------===//
#include "Modules.h"

#include "core/wire/Container.h"
#include "core/wire/Cursor.h"

#include "mlir/IR/Diagnostics.h"

#include <random>

namespace tz::wire {
namespace {

std::vector<std::string> goldens() {
  std::vector<std::string> files;
  for (const std::string &name : goldenNames()) {
    files.push_back(slurp(GoldenFolder + "/" + name + ".tzir"));
  }
  return files;
}

std::string readMessage(const std::string &bytes) {
  mlir::MLIRContext context;
  return messageOf(read(bytes, context));
}

TEST(Damaged, TruncatedAtEveryByte) {
  mlir::MLIRContext context;
  for (const std::string &file : goldens()) {
    for (size_t size = 0; size < file.size(); ++size) {
      std::string cut = file.substr(0, size);
      std::string message = messageOf(read(cut, context));
      ASSERT_NE(message, "") << "cut to " << size << " bytes";
    }
  }
}

TEST(Damaged, TruncatedWithARightHashAndSize) {
  // As a writer that stops in the middle would leave it: header corrected.
  mlir::MLIRContext context;
  for (const std::string &file : goldens()) {
    for (size_t size = 64; size < file.size(); size += 3) {
      std::string cut = file.substr(0, size);
      for (int i = 0; i < 8; ++i) {
        cut[16 + i] = char(uint64_t(size) >> (8 * i));
      }
      rehash(cut);
      ASSERT_NE(messageOf(read(cut, context)), "") << size;
    }
  }
}

TEST(Damaged, EveryBitFlipIsSeenByTheHash) {
  std::mt19937 random(1);
  mlir::MLIRContext context;
  for (const std::string &file : goldens()) {
    for (int i = 0; i < 2000; ++i) {
      std::string flipped = file;
      flipped[random() % file.size()] ^= char(1 << (random() % 8));
      ASSERT_NE(messageOf(read(flipped, context)), "");
    }
  }
}

TEST(Damaged, WithARightHashRejectedOrStable) {
  // Behind the integrity check: each mutant is rejected, or is a module that
  // writes and reads to itself.
  std::mt19937 random(2);
  unsigned accepted = 0, rejected = 0;
  for (const std::string &file : goldens()) {
    mlir::MLIRContext context;
    for (int i = 0; i < 4000; ++i) {
      std::string mutant = file;
      for (unsigned n = 1 + random() % 3; n > 0; --n) {
        size_t at = 64 + random() % (file.size() - 64);
        mutant[at] = random() % 2 ? char(random())
                                  : char(mutant[at] ^ (1 << (random() % 8)));
      }
      rehash(mutant);
      auto module = read(mutant, context);
      if (!module) {
        EXPECT_NE(llvm::toString(module.takeError()), "");
        ++rejected;
        continue;
      }
      ++accepted;
      std::string text = print(module->get());
      WriteOptions options;
      options.stage = inspect(mutant)->stage;
      options.locations = false;
      std::string again = written(module->get(), options);
      auto second = read(again, context);
      ASSERT_TRUE(bool(second)) << llvm::toString(second.takeError());
      EXPECT_EQ(print(second->get()), text);
    }
  }
  EXPECT_GT(rejected, 1000u);
  EXPECT_GT(accepted, 10u);
}

TEST(Damaged, Messages) {
  std::string file = goldens().front();
  EXPECT_EQ(readMessage(""), "not a portable tile IR file");
  EXPECT_EQ(readMessage("tile.kernel @k() {}"), "not a portable tile IR file");
  EXPECT_NE(readMessage(file.substr(0, 20)).find("truncated in its header"),
            std::string::npos);
  EXPECT_NE(
      readMessage(file.substr(0, file.size() - 1)).find("it is truncated"),
      std::string::npos);
  std::string damaged = file;
  damaged.back() ^= 1;
  EXPECT_EQ(readMessage(damaged),
            "portable file: its hash does not match; it is damaged");
}

TEST(Future, VersionsAreNamed) {
  std::string file = goldens().front();
  auto with = [&](size_t at, unsigned value) {
    std::string changed = file;
    changed[at] = char(value);
    changed[at + 1] = char(value >> 8);
    rehash(changed);
    return readMessage(changed);
  };
  EXPECT_EQ(with(8, 250), "portable file: container version 250; this build "
                          "reads version 1");
  EXPECT_EQ(with(10, 250), "portable file: tile IR 250.1; this build reads 0.1 "
                           "alone; compile the kernel again from its source");
  EXPECT_EQ(with(12, 999), "portable file: tile IR 0.999; this build reads 0.1 "
                           "alone; compile the kernel again from its source");
  EXPECT_EQ(with(14, 0x8000), "portable file: unknown flags 32768");
}

/// A container with a hand-made ops section and no tables.
std::string withOps(llvm::StringRef ops) {
  ByteWriter empty;
  empty.number(0);
  Header header;
  header.irMinor = 1;
  return pack(header, {{SectionId::Strings, false, empty.bytes},
                       {SectionId::Types, false, empty.bytes},
                       {SectionId::Attributes, false, empty.bytes},
                       {SectionId::Ops, false, ops}});
}

TEST(Future, UnknownOpcodeNamesNumberAndVersion) {
  ByteWriter ops;
  ops.number(59999);
  EXPECT_EQ(readMessage(withOps(ops.bytes)),
            "portable file: section of ops: op number 59999 is unknown to tile "
            "IR 0.1");
}

TEST(Future, SkippableSectionsAreSkippedOthersNot) {
  mlir::MLIRContext context;
  std::string file = slurp(GoldenFolder + "/shape.tzir");
  llvm::SmallVector<Section> sections;
  auto header = unpack(file, sections);
  ASSERT_TRUE(bool(header));
  sections.push_back({SectionId(77), true, "later"});
  EXPECT_EQ(readMessage(pack(*header, sections)), "");
  sections.back().skippable = false;
  EXPECT_EQ(readMessage(pack(*header, sections)),
            "portable file: section 77 is unknown and may not be skipped");
}

TEST(Limits, CountsBeyondTheBytesAreRefusedAtOnce) {
  ByteWriter ops;
  ops.number(1); // tile.kernel
  ops.number(uint64_t(1) << 60);
  EXPECT_EQ(readMessage(withOps(ops.bytes)),
            "portable file: section of ops: a count is larger than what is "
            "left of the section");
}

/// Nested ifs around a return, `depth` of them.
std::string nested(unsigned depth) {
  std::string text = "tile.kernel @deep(%b: i1) {\n";
  for (unsigned i = 0; i < depth; ++i) {
    text += "scf.if %b {\n";
  }
  for (unsigned i = 0; i < depth; ++i) {
    text += "}\n";
  }
  return text + "tile.return\n}\n";
}

TEST(Limits, OpsThatNoReaderTakesAreRefusedByTheWriter) {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(
      "tile.kernel @k(%n: i32) { %c = arith.addi %n, %n : i32 tile.return }",
      context);
  ASSERT_TRUE(module);
  mlir::Operation *add = nullptr;
  module->walk([&](mlir::arith::AddIOp op) { add = op; });
  mlir::OpBuilder builder(add);
  for (int i = 0; i < 1 << 20; ++i) {
    builder.clone(*add);
  }
  EXPECT_EQ(messageOf(write(*module)),
            "it has more than 1048576 operations (limit of the portable form; "
            "one of the kernel's text may have become many); move repeated "
            "work into a loop that is not unrolled");
}

TEST(Limits, DepthIsRefusedByTheWriter) {
  mlir::MLIRContext context;
  auto fits = parse(nested(250), context), deep = parse(nested(260), context);
  ASSERT_TRUE(fits && deep);
  EXPECT_EQ(readMessage(written(*fits)), "");
  EXPECT_NE(messageOf(write(*deep)).find("nested deeper than 256"),
            std::string::npos);
}

} // namespace
} // namespace tz::wire
