//===- LineTableTest.cpp - Lines of real and of broken objects ------------===//
//
// What   The lines of C functions are where the compiler put them; malformed
//        tables give no rows, and reading them is bounded.
// Why    Line tables come with artifacts, which are untrusted bytes.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/LineTable.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "plugins/cpu/device/ElfFile.h"
#include "plugins/cpu/device/ElfObject.h"
#include "plugins/cpu/test/CompiledObject.h"

#include <cstring>
#include <random>

using namespace tz::cpu;
using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::Ge;
using testing::Le;
using testing::StartsWith;
using tz::cpu::test::compileC;

namespace {

// Lines count from 1.
const char *const Source = "int first(int x) {\n"
                           "  return x * 3;\n"
                           "}\n"
                           "\n"
                           "int second(int *p, int n) {\n"
                           "  int sum = 0;\n"
                           "  for (int i = 0; i < n; ++i)\n"
                           "    sum += p[i];\n"
                           "  return sum;\n"
                           "}\n";

std::unique_ptr<ElfObject> loaded(const std::string &flags) {
  std::string error;
  auto object = ElfObject::load(compileC(Source, flags), error);
  EXPECT_TRUE(object) << error;
  return object;
}

/// The line of an address, as a debugger looks it up.
uint32_t lineOf(const LineTable &table, uint64_t address) {
  for (size_t i = 0; i + 1 < table.rows.size(); ++i) {
    const LineRow &row = table.rows[i];
    if (!row.endsSequence && row.address <= address &&
        address < table.rows[i + 1].address) {
      return row.line;
    }
  }
  return 0;
}

class Lines : public testing::TestWithParam<const char *> {};

TEST_P(Lines, AreWhereTheCompilerPutThem) {
  auto object = loaded(GetParam());
  ASSERT_TRUE(object);
  const LineTable table = readLineTable(object->debugImage());
  EXPECT_THAT(table.files, Contains(AllOf(StartsWith("/"), EndsWith("/a.c"))));
  auto addressOf = [&](const char *name) {
    return reinterpret_cast<uint64_t>(object->find(name)->address);
  };
  EXPECT_THAT(lineOf(table, addressOf("first")), AllOf(Ge(1u), Le(3u)));
  EXPECT_THAT(lineOf(table, addressOf("second")), AllOf(Ge(5u), Le(10u)));
  bool inLoop = false;
  for (const LineRow &row : table.rows) {
    ASSERT_LT(row.file, table.files.size());
    inLoop |= row.line == 8 && row.address > addressOf("second");
    EXPECT_LE(row.line, 10u);
  }
  EXPECT_TRUE(inLoop);
}

INSTANTIATE_TEST_SUITE_P(Flags, Lines,
                         testing::Values("-O0 -fPIC -gdwarf-5",
                                         "-O2 -fPIC -gdwarf-5 -fno-inline",
                                         "-O1 -fPIC -gdwarf-5 "
                                         "-ffunction-sections"));

TEST(LineTable, OtherVersionsAndNoneGiveNoRows) {
  for (const char *flags : {"-O1 -fPIC -gdwarf-4", "-O1 -fPIC -g0"}) {
    auto object = loaded(flags);
    ASSERT_TRUE(object);
    EXPECT_TRUE(readLineTable(object->debugImage()).rows.empty()) << flags;
  }
}

/// The bytes of a section of the object, to be changed in place.
std::span<std::byte> sectionOf(std::vector<std::byte> &bytes,
                               const char *name) {
  ElfFile file(bytes);
  EXPECT_TRUE(file.parse()) << file.message;
  const ElfSection *section = file.findSection(name);
  EXPECT_TRUE(section) << name;
  return section ? std::span(bytes).subspan(section->header.sh_offset,
                                            section->header.sh_size)
                 : std::span<std::byte>();
}

/// Also by the loader: debug sections and their relocations are mutated. What
/// is broken there keeps no kernel from running.
TEST(LineTable, MutationsAreBoundedAndLoad) {
  const auto original = compileC(Source, "-O1 -fPIC -gdwarf-5");
  std::mt19937_64 random(20261121);
  unsigned withRows = 0, without = 0;
  for (unsigned round = 0; round < 5000; ++round) {
    auto bytes = original;
    for (const char *name :
         {".debug_line", ".debug_line_str", ".rela.debug_line"}) {
      std::span<std::byte> section = sectionOf(bytes, name);
      ASSERT_FALSE(section.empty());
      for (uint64_t edits = random() % 3; edits != 0; --edits) {
        section[random() % section.size()] =
            random() % 3 ? std::byte(random()) : std::byte{0xff};
      }
    }
    std::string error;
    auto object = ElfObject::load(bytes, error);
    ASSERT_TRUE(object) << error;
    LineTable table = readLineTable(object->debugImage());
    ++(table.rows.empty() ? without : withRows);
    for (const LineRow &row : table.rows) {
      ASSERT_LT(row.file, table.files.size());
    }
  }
  EXPECT_GT(withRows, 500u);
  EXPECT_GT(without, 500u);
}

/// A header of a few bytes that promises very many files.
TEST(LineTable, ManyFilesOfNoBytesAreRefused) {
  auto bytes = compileC(Source, "-O1 -fPIC -gdwarf-5");
  std::span<std::byte> section = sectionOf(bytes, ".debug_line");
  const unsigned char header[] = {
      5, 0,    8,    0,    24,   0,    0,    0,
      1, 1,    1,    0xfb, 14,   1,                 // no standard opcodes
      0, 0,                                         // no folders
      0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}; // files without a format
  ASSERT_GE(section.size(), sizeof header + 4);
  std::memcpy(section.data() + 4, header, sizeof header);
  std::string error;
  auto object = ElfObject::load(bytes, error);
  ASSERT_TRUE(object) << error;
  LineTable table = readLineTable(object->debugImage());
  EXPECT_TRUE(table.rows.empty());
  EXPECT_TRUE(table.files.empty());
}

} // namespace
