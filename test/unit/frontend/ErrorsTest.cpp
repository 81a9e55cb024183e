//===- ErrorsTest.cpp - the text of every error ---------------------------===//
//
// What   Runs each program of test/frontend/errors and compares all errors,
//        notes, warnings and remarks, with place and text, to those that the
//        file expects. With TERRAZZO_BLESS set it writes them into the file.
// Why    An error is part of the interface: one clear message at the right
//        place, and no second one that follows from it. ci/lint holds every
//        sentence of the frontend against these files.
//
//===----------------------------------------------------------------------===//
#include "test/unit/frontend/KernelFile.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringExtras.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace tz::frontend;
using namespace tz::frontend::test;

namespace {

/// A file and the number of a program in it.
using Program = std::pair<std::string, size_t>;

class Errors : public testing::TestWithParam<Program> {};

/// Puts the directives of one program behind its last line of text.
void bless(const KernelFile &program, llvm::ArrayRef<std::string> found) {
  std::string text = readText(program.path);
  std::vector<llvm::StringRef> lines;
  for (llvm::StringRef line : llvm::split(llvm::StringRef(text), '\n')) {
    lines.push_back(line);
  }
  llvm::StringRef own = program.text; // from its first line to its last
  size_t first = own.find_first_not_of('\n'), last = own.count('\n');
  std::string blessed, body;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i < first) {
      blessed += lines[i].str() + "\n";
    } else if (i < last && !isExpectation(lines[i])) {
      body += lines[i].str() + "\n";
    }
  }
  blessed += llvm::StringRef(body).rtrim('\n').str() + "\n\n";
  for (const std::string &line : found) {
    blessed += "# " + line + "\n";
  }
  for (size_t i = last; i < lines.size() && last + 1 < lines.size(); ++i) {
    blessed += (i == last ? "\n" : "") + lines[i].str() +
               (i + 1 < lines.size() ? "\n" : "");
  }
  std::ofstream(program.path) << blessed;
}

TEST_P(Errors, AreAsWrittenInTheFile) {
  KernelFile program = readPrograms(GetParam().first)[GetParam().second];
  DiagnosticSink sink;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Module module = parseModule(program.path, program.text, sink);
  if (!sink.hasErrors()) {
    for (const KernelRun &run : program.runs) {
      auto result = elaborate(module, run.kernel, run.spec, context, sink);
      EXPECT_EQ(!result, sink.hasErrors()) << "errors or IR, not both";
    }
  }
  std::vector<std::string> found = diagnosticLines(sink, program.path);
  EXPECT_FALSE(found.empty()) << "the program is not wrong";
  if (std::getenv("TERRAZZO_BLESS")) {
    bless(program, found);
    return;
  }
  EXPECT_EQ(found, program.diagnostics) << program.title << "\n" << sink.str();
}

std::vector<Program> allPrograms() {
  std::vector<Program> all;
  for (const std::string &path : kernelFiles("test/frontend/errors")) {
    for (size_t i = 0; i < readPrograms(path).size(); ++i) {
      all.emplace_back(path, i);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Files, Errors, testing::ValuesIn(allPrograms()),
                         [](const testing::TestParamInfo<Program> &info) {
                           std::string name;
                           const std::string &path = info.param.first;
                           for (char c : path.substr(path.rfind('/') + 1)) {
                             name += std::isalnum(static_cast<unsigned char>(c))
                                         ? c
                                         : '_';
                           }
                           return name + "_" +
                                  std::to_string(info.param.second);
                         });

} // namespace
