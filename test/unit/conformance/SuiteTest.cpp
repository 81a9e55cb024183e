//===- SuiteTest.cpp - case files to cases --------------------------------===//
//
// What   Expansion, substitution, mistakes in case files, coverage, smoke.
// Why    A cell that is lost here is lost in silence.
//===----------------------------------------------------------------------===//
#include "core/conformance/Suite.h"

#include "core/conformance/Coverage.h"

#include <gmock/gmock.h>

namespace tz::conformance {

static Suite read(std::string_view text) {
  Suite suite;
  auto error = addCases(suite, "a.cases", text, {});
  EXPECT_FALSE(error) << error->text();
  return suite;
}

static std::string mistake(std::string_view text) {
  Suite suite;
  auto error = addCases(suite, "a.cases", text, {});
  return error ? error->text() : "no error";
}

static std::vector<std::string> names(const Suite &suite) {
  std::vector<std::string> list;
  for (const Case &one : suite.cases) {
    list.push_back(one.name);
  }
  return list;
}

TEST(Suite, IsTheProductOfOpsVariantsTypesAndForms) {
  Suite suite = read(R"(
forms two
  one :: n=1
  many :: n=8
family f: about
  types i8 half -bf16
  forms two
  variant a
  variant b
  op add
  op sub :: types=f32 :: forms=many
  arg x=zeros:$type[$n]
  kernel
    def kernel(x):
)");
  EXPECT_THAT(names(suite),
              testing::ElementsAre("f/add.a/i8/one", "f/add.b/i8/one",
                                   "f/add.a/i8/many", "f/add.b/i8/many",
                                   "f/add.a/f16/one", "f/add.b/f16/one",
                                   "f/add.a/f16/many", "f/add.b/f16/many",
                                   "f/sub.a/f32/many", "f/sub.b/f32/many"));
  EXPECT_EQ(suite.cases[3].args, std::vector<std::string>{"x=zeros:i8[8]"});
}

TEST(Suite, OpsWinOverFormsOverTypesOverDefaults) {
  Suite suite = read(R"(
forms one
  only :: b=form :: c=form
family f: about
  types i8
  forms one
  set a=default :: b=default :: c=default :: d=default
  type i8 :: b=type :: c=type :: d=type
  op add :: c=op
  kernel
    $a $b $c ${d}s $type $tl
)");
  EXPECT_THAT(suite.cases[0].source,
              testing::EndsWith("default form op types i8 tl.int8\n"));
}

TEST(Suite, BlocksTakeTheIndentationOfTheirPlace) {
  Suite suite = read(R"(
block body
  first
    second = $op
family f: about
  set text=@body :: nothing=
  op add
  kernel
    def kernel():
        $text
        $nothing
        last
)");
  EXPECT_THAT(suite.cases[0].source,
              testing::EndsWith("def kernel():\n    first\n      second = "
                                "add\n    last\n"));
}

TEST(Suite, AnOpMayHaveItsOwnStatements) {
  Suite suite = read(R"(
family f: about
  arg x=zeros:i8[1]
  op a
  op b
    arg x=ones:i8[2]
    arg y=ones:i8[2]
    expect x=zeros:i8[2]
    kernel
      def kernel(x, y):
  kernel
    def kernel(x):
)");
  EXPECT_EQ(suite.cases[0].args.size(), 1u);
  EXPECT_EQ(suite.cases[1].args.size(), 2u);
  EXPECT_EQ(suite.cases[1].expected, std::vector<std::string>{"x=zeros:i8[2]"});
  EXPECT_THAT(suite.cases[1].source, testing::EndsWith("kernel(x, y):\n"));
}

TEST(Suite, SaysWhereACaseFileIsWrong) {
  EXPECT_EQ(mistake("famly f: about\n"),
            "a.cases:1: error: expected 'family', 'forms' or 'block', not "
            "'famly'");
  EXPECT_EQ(mistake("family f\n"),
            "a.cases:1: error: write 'family NAME: what it is about'");
  EXPECT_THAT(
      mistake("family f: a\n  types i9\n"),
      testing::StartsWith("a.cases:2: error: no element type or group 'i9'"));
  EXPECT_THAT(mistake("family f: a\n\n  colour red\n"),
              testing::StartsWith(
                  "a.cases:3: error: a family has no statement 'colour'"));
  EXPECT_EQ(mistake("family f: a\n  op add :: x\n"),
            "a.cases:2: error: 'x' is not of the form key=value");
  EXPECT_EQ(mistake("family f: a\n  op add\n  kernel\n    $what\n"),
            "a.cases:2: error: f/add: no value for $what");
  EXPECT_EQ(mistake("family f: a\n  set x=$y :: y=$x\n  op add\n"
                    "  kernel\n    $x\n"),
            "a.cases:3: error: f/add: variables refer to each other");
  EXPECT_EQ(mistake("family f: a\n  kernel\n    x\n"),
            "a.cases:1: error: family 'f' has no op");
  EXPECT_EQ(mistake("family f: a\n  op add\n  source none.py::k\n"),
            "a.cases:2: error: 'f/add' has neither a kernel nor a source that "
            "is known ('none.py::k')");
}

TEST(Suite, HasNamesOnceEach) {
  Suite suite;
  ASSERT_FALSE(addEmbeddedCases(suite));
  std::vector<std::string> list = names(suite);
  std::sort(list.begin(), list.end());
  EXPECT_EQ(std::adjacent_find(list.begin(), list.end()), list.end());
  EXPECT_GE(list.size(), 1500u);
}

TEST(Suite, SmokeHasEveryFamilyWithinItsLimit) {
  Suite suite;
  ASSERT_FALSE(addEmbeddedCases(suite));
  std::vector<const Case *> all;
  for (const Case &one : suite.cases) {
    all.push_back(&one);
  }
  std::set<std::string> families, forms;
  std::vector<const Case *> chosen = chooseSmoke(all, 120);
  for (const Case *one : chosen) {
    families.insert(one->family);
    forms.insert(one->form);
  }
  EXPECT_LE(chosen.size(), 120u);
  EXPECT_GE(chosen.size(), 100u);
  EXPECT_EQ(families.size(), suite.families.size());
  EXPECT_GE(forms.size(), 4u);
}

TEST(Coverage, FindsATypeThatTheLanguageAllows) {
  Suite suite = read(R"(
family f: about
  types i8
  universe i8 i16 i32
  op add
  kernel
    def kernel(x):
)");
  EXPECT_THAT(
      emptyCells(suite, [](const Case &one) { return one.type == "i32"; }),
      testing::ElementsAre(
          "f/add/i32: the language allows it, but no case covers it"));
  suite.coverage[0].cells[0].count = 0;
  EXPECT_THAT(emptyCells(suite, [](const Case &) { return false; }),
              testing::ElementsAre("f/add/i8/: no case"));
}

} // namespace tz::conformance
