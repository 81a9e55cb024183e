//===- PythonNamesTest.cpp - the package's names are the frontend's -------===//
//
// What   python/terrazzo/triton/language/_names.py lists the functions
//        of each built-in module below triton.language and the methods of tiles,
//        with their parameters. With TERRAZZO_BLESS set it is written anew.
// Why    From it the Python package makes the objects that `tl.load` and the
//        others are on the host: they must be what kernels can call, no more.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/Builtins.h"
#include "core/frontend/library/EmbeddedLibrary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

using namespace tz::frontend;

namespace {

const char *path =
    TERRAZZO_SOURCE_DIR "/python/terrazzo/triton/language/_names.py";

std::string parametersOf(const Builtin &builtin) {
  std::vector<std::string> list;
  bool keywordOnly = false;
  for (const BuiltinParam &param : builtin.params) {
    if (param.kind == BuiltinParam::KeywordOnly && !keywordOnly) {
      keywordOnly = true;
      list.push_back("*");
    }
    const char *star = param.kind == BuiltinParam::VarArgs       ? "*"
                       : param.kind == BuiltinParam::VarKeywords ? "**"
                                                                 : "";
    keywordOnly |= param.kind == BuiltinParam::VarArgs;
    list.push_back(star + param.name +
                   (param.defaultValue ? "=" + repr(*param.defaultValue) : ""));
  }
  return llvm::join(list, ", ");
}

/// The parameters as the embedded library's source has them, on one line.
std::string parametersInSource(llvm::StringRef path, llvm::StringRef name) {
  path.consume_front("<terrazzo>/");
  path.consume_back(".py");
  for (const LibraryFile &file : embeddedLibrary()) {
    llvm::StringRef text = file.text;
    size_t begin = text.find(("\ndef " + name + "(").str());
    if (path == file.name && begin != llvm::StringRef::npos) {
      text = text.drop_front(begin).split('(').second.split("):").first;
      llvm::SmallVector<llvm::StringRef> words;
      llvm::SplitString(text, words);
      return llvm::join(words, " ");
    }
  }
  ADD_FAILURE() << path.str() << " has no function " << name.str();
  return "";
}

void writeRow(llvm::raw_ostream &out, llvm::StringRef name,
              llvm::StringRef parameters) {
  out << "        \"" << name << "\": " << repr(Value::string(parameters.str()))
      << ",\n";
}

bool isSame(const Value &a, const Value &b) {
  if (a.is(ValueKind::Lazy) && b.is(ValueKind::Lazy)) {
    return a.asLazy().path == b.asLazy().path &&
           a.asLazy().name == b.asLazy().name;
  }
  return identical(a, b);
}

/// Of a module besides what it has in common with triton.language itself.
std::map<std::string, std::string> functionsOf(llvm::StringRef module) {
  const Registry &registry = languageBuiltins();
  auto &shared = registry.module("triton.language")->members;
  std::map<std::string, std::string> rows;
  for (auto &entry : registry.module(module)->members) {
    const Value &value = entry.getValue().value;
    auto same = shared.find(entry.getKey());
    const bool isPart =
        module != "triton.language" && !module.contains(".extra");
    if (isPart && same != shared.end() && isSame(value, same->second.value)) {
      continue;
    }
    if (value.is(ValueKind::Builtin)) {
      rows[entry.getKey().str()] = parametersOf(*value.asBuiltin());
    } else if (value.is(ValueKind::Lazy)) {
      rows[entry.getKey().str()] =
          parametersInSource(value.asLazy().path, value.asLazy().name);
    }
  }
  return rows;
}

std::string table() {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "# What a kernel may call, with parameters. Made from the frontend's "
         "table:\n"
         "#   TERRAZZO_BLESS=1 test-frontend --gtest_filter='PythonNames.*'\n"
         "FUNCTIONS = {\n";
  const Registry &registry = languageBuiltins();
  for (llvm::StringRef module : registry.moduleNames()) {
    if (!module.starts_with("triton.language")) {
      continue;
    }
    out << "    \"" << module << "\": {\n";
    for (auto &[name, parameters] : functionsOf(module)) {
      writeRow(out, name, parameters);
    }
    out << "    },\n";
  }
  out << "}\nMETHODS = {\n    \"tensor\": {\n";
  for (llvm::StringRef name : registry.methodNames(ValueKind::Tile)) {
    writeRow(out, name, parametersOf(*registry.method(ValueKind::Tile, name)));
  }
  out << "    },\n}\n";
  return text;
}

TEST(Builtins, EachSignatureIsPython) {
  EXPECT_THAT(languageBuiltins().mistakes(), testing::IsEmpty());
  Registry wrong;
  wrong.add("math", "f", "x, =", [](BuiltinCall &) { return Value::none(); });
  EXPECT_THAT(wrong.mistakes(),
              testing::ElementsAre(testing::HasSubstr("built-in signature: ")));
}

TEST(PythonNames, AreTheFrontends) {
  const std::string wanted = table();
  if (std::getenv("TERRAZZO_BLESS")) {
    std::ofstream(path) << wanted;
  }
  std::stringstream found;
  found << std::ifstream(path).rdbuf();
  EXPECT_EQ(found.str(), wanted)
      << "run TERRAZZO_BLESS=1 test-frontend --gtest_filter='PythonNames.*'";
}

} // namespace
