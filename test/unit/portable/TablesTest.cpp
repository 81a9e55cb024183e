//===- TablesTest.cpp - the C header has the tables of core/wire ----------===//
//
// What   The part of terrazzo/portable.h between its marks is made of
//        Opcodes.def, Hints.def and EnumCases.def; --bless writes it.
// Why    The header is one file that stands alone. A copy of a table is only
//        right as long as something compares it.
//===----------------------------------------------------------------------===//
#include "core/wire/Opcodes.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace tz::wire {
namespace {

std::string slurpHeader() {
  std::ifstream file(TZ_PORTABLE_HEADER);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void quote(std::ostream &out, const char *text) { out << '"' << text << '"'; }

std::string tables() {
  std::ostringstream out;
  out << "/* clang-format off */\n"
         "static const tzp_op_record_ tzp_op_records[] = { /* by opcode */\n";
  for (const OpRecord &record : opRecords()) {
    out << "  {" << record.opcode << ", ";
    quote(out, record.name);
    out << ", " << record.since << ", " << record.regions << ", {";
    for (const AttrRecord &attr : record.attrs()) {
      out << "{";
      quote(out, attr.name);
      out << ", " << unsigned(attr.kind) << ", "
          << (attr.presence == Presence::Required) << ", " << attr.since
          << "}, ";
    }
    out << "{0, 0, 0, 0}}},\n";
  }
  out << "};\nstatic const tzp_hint_record_ tzp_hint_records[] = {\n";
  for (const HintRecord &record : hintRecords()) {
    out << "  {" << record.number << ", ";
    quote(out, record.name);
    out << ", " << unsigned(record.kind) << ", " << record.since << "},\n";
  }
  out << "};\nstatic const tzp_case_record_ tzp_case_records[] = {\n";
  for (const CaseRecord &record : caseRecords()) {
    out << "  {" << unsigned(record.kind) << ", " << record.number << ", ";
    quote(out, record.name);
    out << "},\n";
  }
  out << "};\n/* clang-format on */\n";
  return out.str();
}

TEST(Tables, AreThoseOfTheWriter) {
  const std::string begin =
      "/* tables: made from core/wire by test-portable --bless */\n";
  const std::string end = "/* tables: end */\n";
  std::string header = slurpHeader();
  const size_t from = header.find(begin), to = header.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const size_t start = from + begin.size();
  if (std::getenv("TZ_BLESS")) {
    header.replace(start, to - start, tables());
    std::ofstream(TZ_PORTABLE_HEADER) << header;
    return;
  }
  EXPECT_EQ(header.substr(start, to - start), tables())
      << "run test-portable --bless";
}

TEST(Tables, AreSortedAndTheKernelIsFirst) {
  unsigned last = 0;
  for (const OpRecord &record : opRecords()) {
    EXPECT_GT(record.opcode, last) << "the C reader searches by halves";
    last = record.opcode;
    EXPECT_LE(record.regions, 2u) << "tzp_op has room for two";
    EXPECT_LT(record.attrs().size(), 6u) << "the last record is the end mark";
  }
  EXPECT_STREQ(opRecords().front().name, "tile.kernel");
}

} // namespace
} // namespace tz::wire

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--bless") {
      setenv("TZ_BLESS", "1", 1);
    }
  }
  return RUN_ALL_TESTS();
}
