//===- AbiTest.cpp - the C headers as a contract --------------------------===//
//
// What   The layout of every struct and the value of every constant against the
//        golden text beside this file; both headers compile under every
//        standard and compiler they promise, with padding as an error.
// Why    A field inserted in the middle breaks plugins that no other test sees.
//        TERRAZZO_BLESS=1 rewrites the golden text, for a reviewer to read.
//===----------------------------------------------------------------------===//
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

namespace {

const std::string Include = TZ_TEST_SOURCE "/include";
const std::string Golden = TZ_TEST_SOURCE "/test/unit/abi/layout.txt";

std::string run(const std::string &command, int &status) {
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  for (size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    text.append(buffer.data(), n);
  }
  status = pclose(pipe);
  return text;
}

std::string read(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// "tz_str 16: 0 data, 8 size": from clang's own dump, so that no field can be
/// forgotten here.
std::string structs() {
  int status = 0;
  std::string dump = run(std::string("echo '#include <terrazzo/plugin.h>' | ") +
                             TZ_TEST_CC " -x c -std=c99 -I" + Include +
                             " -fsyntax-only -Xclang "
                             "-fdump-record-layouts-complete -",
                         status);
  EXPECT_EQ(status, 0) << dump;
  std::map<std::string, std::string> records;
  std::istringstream lines(dump);
  std::string line, name, body;
  static const std::regex head(R"(^\s+0 \| struct (tz_\w+)$)");
  static const std::regex field(R"(^\s+(\d+) \|   (\S.*?)\s*(\w*)$)");
  static const std::regex tail(R"(^\s+\| \[sizeof=(\d+), align=(\d+)\])");
  for (std::smatch m; std::getline(lines, line);) {
    if (std::regex_search(line, m, head)) {
      name = m[1];
      body.clear();
    } else if (!name.empty() && std::regex_search(line, m, field)) {
      body += "  " + m[1].str() + " " + m[2].str() + " " + m[3].str() + "\n";
    } else if (!name.empty() && std::regex_search(line, m, tail)) {
      records[name] =
          name + " size " + m[1].str() + " align " + m[2].str() + "\n" + body;
      name.clear();
    }
  }
  std::string text;
  for (const auto &[key, record] : records) {
    text += record;
  }
  return text;
}

/// Every enumerator and number that the header names.
std::string constants(const std::string &header) {
  std::string text = read(Include + "/terrazzo/" + header), out;
  static const std::regex enumerator(R"(\b(TZ_[A-Z0-9_]+) = (\d+))");
  static const std::regex macro(
      R"(#define (TZ_[A-Z0-9_]+) (0x[0-9A-F]+u|\d+u?))");
  std::set<std::string> found;
  for (const std::regex &pattern : {enumerator, macro}) {
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end;
         it != end; ++it) {
      found.insert((*it)[1].str() + " = " + (*it)[2].str() + "\n");
    }
  }
  for (const std::string &one : found) {
    out += one;
  }
  return out;
}

TEST(Abi, LayoutsAndConstantsAreTheGoldenOnes) {
  std::string now = structs() + constants("plugin.h");
  ASSERT_GT(std::count(now.begin(), now.end(), '\n'), 300)
      << "the dump was not understood";
  if (const char *bless = std::getenv("TERRAZZO_BLESS"); bless && *bless) {
    std::ofstream(Golden) << now;
  }
  std::string golden = read(Golden);
  // Line by line, so that the message is the field and not the file.
  std::istringstream a(golden), b(now);
  std::string left, right, record;
  for (int number = 1;; ++number) {
    bool more = bool(std::getline(a, left)),
         other = bool(std::getline(b, right));
    if (!more && !other) {
      break;
    }
    if (more && left[0] != ' ') {
      record = left;
    }
    ASSERT_EQ(more ? left : "(end)", other ? right : "(end)")
        << "layout.txt line " << number << " in " << record
        << ": if the change is meant, TERRAZZO_BLESS=1 and a changelog line";
  }
}

TEST(Abi, TheTwoHeadersAgree) {
  std::string plugin = read(Include + "/terrazzo/plugin.h");
  std::string embed = read(Include + "/terrazzo/terrazzo.h");
  for (const char *table : {"TZ_ERROR_CODES", "TZ_VALUE_TYPES"}) {
    auto cut = [&](const std::string &text) {
      size_t begin = text.find(std::string("#define ") + table);
      size_t end = text.find("#endif", begin);
      EXPECT_NE(begin, std::string::npos);
      return text.substr(begin, end - begin);
    };
    EXPECT_EQ(cut(plugin), cut(embed)) << table;
  }
}

struct Build {
  const char *compiler, *language, *standard, *header;
};

class Header : public testing::TestWithParam<Build> {};

TEST_P(Header, CompilesWithoutAWarning) {
  Build b = GetParam();
  int status = 0;
  run(std::string(b.compiler) + " --version", status);
  if (status != 0) {
    GTEST_SKIP() << b.compiler << " is not installed";
  }
  std::string text =
      run(std::string("printf '#include <terrazzo/") + b.header +
              ">\\nint tz_used;\\n' | " + b.compiler + " -x " + b.language +
              " -std=" + b.standard + " -I" + Include +
              " -Wall -Wextra -Wpadded -pedantic -Werror -fsyntax-only -",
          status);
  EXPECT_EQ(status, 0) << text;
}

std::vector<Build> builds() {
  std::vector<Build> list;
  for (const char *header : {"plugin.h", "terrazzo.h"}) {
    for (const char *compiler : {"gcc", TZ_TEST_CC}) {
      for (const char *standard : {"c99", "c11"}) {
        list.push_back({compiler, "c", standard, header});
      }
      for (const char *standard : {"c++11", "c++20"}) {
        list.push_back({compiler, "c++", standard, header});
      }
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, Header, testing::ValuesIn(builds()));

/// C++ headers carry -Wpadded types of the user's; everything else holds.
TEST(HeaderCxx, RaiiHeaderAndSdkCompile) {
  for (const char *header :
       {"terrazzo.hpp", "plugin/Error.h", "plugin/Entry.h", "plugin/Artifact.h",
        "plugin/Compiler.h", "plugin/Device.h"}) {
    for (const char *compiler : {"g++", TZ_TEST_CXX}) {
      int status = 0;
      run(std::string(compiler) + " --version", status);
      if (status != 0) {
        continue;
      }
      std::string standard =
          std::string(header) == "terrazzo.hpp" ? "c++17" : "c++20";
      std::string text =
          run(std::string("printf '#include <terrazzo/") + header +
                  ">\\nint tz_used;\\n' | " + compiler +
                  " -x c++ -std=" + standard + " -I" + Include +
                  " -Wall -Wextra -Wno-unused-parameter -pedantic -Werror "
                  "-fsyntax-only -",
              status);
      EXPECT_EQ(status, 0) << header << "\n" << text;
    }
  }
}

} // namespace
