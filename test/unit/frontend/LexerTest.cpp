//===- LexerTest.cpp - tokens of Python -----------------------------------===//
//
// What   Indentation, line joining, numbers, strings; the errors of each.
// Why    A wrong token shows up as a strange error of the parser, far away.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/parse/Lexer.h"

#include <gtest/gtest.h>

using namespace tz::frontend;

namespace {

struct Lexed {
  SourceFile file;
  DiagnosticSink sink;
  std::vector<Token> tokens;
  explicit Lexed(std::string text) : file("t.py", std::move(text)) {
    tokens = lexFile(file, sink);
  }
  std::string kinds() const {
    std::string out;
    for (const Token &t : tokens) {
      out += tokenName(t.kind).str() + " ";
    }
    return out;
  }
  std::string firstError() const {
    if (sink.diagnostics().empty()) {
      return "";
    }
    const Diagnostic &d = sink.diagnostics()[0];
    return std::to_string(d.loc.line) + ":" + std::to_string(d.loc.column) +
           ": " + d.message;
  }
};

TEST(Lexer, IndentationMakesBlocks) {
  Lexed t("if a:\n  b\n\n  # comment\n  c\nd\n");
  EXPECT_EQ(t.kinds(), "'if' name ':' end of line indentation name end of line "
                       "name end of line end of block name end of line end of "
                       "file ");
  EXPECT_FALSE(t.sink.hasErrors());
}

TEST(Lexer, BracketsAndBackslashesJoinLines) {
  Lexed t("x = (1 +\n  2)\ny = 3 \\\n  + 4\n");
  EXPECT_EQ(
      std::count_if(t.tokens.begin(), t.tokens.end(),
                    [](const Token &k) { return k.kind == Tok::Newline; }),
      2);
  EXPECT_EQ(t.tokens.back().line, 5u);
}

TEST(Lexer, WindowsLineEndsAndMissingLastOne) {
  Lexed t("a\r\nb");
  EXPECT_EQ(t.kinds(), "name end of line name end of line end of file ");
}

TEST(Lexer, PlacesCountFromOne) {
  Lexed t("ab = cd\n  \n");
  EXPECT_EQ(t.tokens[2].line, 1u);
  EXPECT_EQ(t.tokens[2].column, 6u);
}

TEST(Lexer, NumbersOfEveryForm) {
  Lexed t("1_000 0xFF 0b1 0o7 1.5 .5 1e-3 2j 1if");
  EXPECT_FALSE(t.sink.hasErrors()) << t.sink.str();
  EXPECT_EQ(t.tokens[4].kind, Tok::Float);
  EXPECT_EQ(t.tokens[5].kind, Tok::Float);
  EXPECT_EQ(t.tokens[7].kind, Tok::Imaginary);
  EXPECT_EQ(t.tokens[9].kind, Tok::KwIf);
}

TEST(Lexer, StringsWithPrefixesAndNestedQuotes) {
  Lexed t("r'\\\\' b\"x\" '''a\nb''' f\"{d['k']}\" f'{a!r:>{w}}'\n");
  EXPECT_FALSE(t.sink.hasErrors()) << t.sink.str();
  EXPECT_EQ(t.tokens.size(), 7u);
}

TEST(Lexer, ReportsWhatIsWrong) {
  EXPECT_EQ(Lexed("x = 'abc\n").firstError(),
            "1:5: string is not closed at the end of the line");
  EXPECT_EQ(Lexed("x = \"\"\"abc\n").firstError(),
            "1:5: triple-quoted string is never closed");
  EXPECT_EQ(Lexed("x = (1\n").firstError(), "1:5: bracket is never closed");
  EXPECT_EQ(Lexed("x = 1)\n").firstError(), "1:6: ')' has no opening bracket");
  EXPECT_EQ(Lexed("x = [1)\n").firstError(),
            "1:7: ')' does not match; expected ']'");
  EXPECT_EQ(Lexed("x = 12abc\n").firstError(), "1:5: invalid number '12abc'");
  EXPECT_EQ(Lexed("x = a $ b\n").firstError(), "1:7: unexpected character '$'");
  EXPECT_EQ(Lexed("if a:\n    b\n  c\n").firstError(),
            "3:3: indentation does not match any enclosing block: 2 columns, "
            "the block has 0");
}

TEST(Lexer, ForgottenBracketEndsBeforeTheNextStatement) {
  Lexed t("x = f(1,\ndef g():\n  pass\n");
  EXPECT_EQ(t.sink.errorCount(), 1u);
  EXPECT_EQ(t.firstError(), "1:6: bracket is never closed");
  EXPECT_NE(t.kinds().find("'def'"), std::string::npos);
}

TEST(Lexer, RefusesOtherEncodings) {
  EXPECT_EQ(Lexed("x = '\xe9'\n").firstError(),
            "1:6: byte 0xE9 is not valid UTF-8; save the file as UTF-8");
  EXPECT_EQ(Lexed(std::string("x\0y", 3)).firstError(),
            "1:2: file contains a NUL byte; is this a text file?");
  EXPECT_EQ(Lexed("\xff\xfex").firstError(),
            "1:1: file is UTF-16; save it as UTF-8");
  EXPECT_FALSE(Lexed("\xef\xbb\xbfx = 1\n").sink.hasErrors());
}

TEST(Lexer, BracketNestingIsLimited) {
  Lexed t(std::string(100000, '('));
  ASSERT_TRUE(t.sink.hasErrors());
  EXPECT_NE(t.firstError().find("limit of bracket nesting"), std::string::npos);
}

TEST(Diagnostics, PrintsLineAndCaret) {
  SourceFile file("k.py", "a = 1\n\tfoo(bar)\n");
  DiagnosticSink sink;
  sink.error({&file, 2, 6, 3}, "name 'bar' is not defined")
      .note({&file, 1, 1, 1}, "see here");
  EXPECT_EQ(sink.str(), "k.py:2:6: error: name 'bar' is not defined\n"
                        "  \tfoo(bar)\n"
                        "  \t    ^~~\n"
                        "k.py:1:1: note: see here\n"
                        "  a = 1\n"
                        "  ^\n"
                        "1 error\n");
}

TEST(Diagnostics, FramesBecomeNotesInnermostFirst) {
  SourceFile file("k.py", "a\nb\n");
  DiagnosticSink sink;
  sink.pushFrame({&file, 1, 1, 0}, "outer");
  sink.pushFrame({&file, 2, 1, 0}, "inner");
  sink.error({&file, 1, 1, 0}, "wrong");
  sink.popFrame();
  sink.popFrame();
  ASSERT_EQ(sink.diagnostics()[0].notes.size(), 2u);
  EXPECT_EQ(sink.diagnostics()[0].notes[0].message, "inner");
}

TEST(Diagnostics, NearNames) {
  EXPECT_EQ(nearestName("lod", {"load", "store"}), "load");
  EXPECT_EQ(nearestName("zzz", {"load", "store"}), "");
}

} // namespace
