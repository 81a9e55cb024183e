//===- KernelFile.h - test files with directives ----------------*- C++ -*-===//
//
// What   Reads a .py file of the tests and its directives in comments:
//          # run: kernel x=*fp32 n=i32:16 one=i32:1 BLOCK:=64
//          # error@12:5: the message
//          # note@3:1: the note
//        A line `# ----- what is wrong` begins another program of the file.
// Why    The file is an ordinary kernel file; what is expected of it stands in
//        it, where a reader looks.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_FRONTEND_KERNELFILE_H
#define TERRAZZO_TEST_UNIT_FRONTEND_KERNELFILE_H

#include "core/frontend/Frontend.h"

#include <string>
#include <vector>

namespace tz::frontend::test {

struct KernelRun {
  std::string kernel;
  Specialization spec;
};

struct KernelFile {
  std::string path;
  std::string text;
  std::string title; // of a program that is not the file's only one
  std::vector<KernelRun> runs;
  /// "error@12:5: message", "note@3:1: message", in order.
  std::vector<std::string> diagnostics;
};

/// `run` as written after "# run:".
KernelRun parseRun(llvm::StringRef run);
/// Empty if there is no such file.
std::string readText(const std::string &path);
/// Is the line `# error@...` or the like?
bool isExpectation(llvm::StringRef line);
/// The programs of a file. Each has the lines of the others blank, so that a
/// line's number is that of the file.
std::vector<KernelFile> readPrograms(const std::string &path);
/// A file of one program.
KernelFile readKernelFile(const std::string &path);
/// All .py files of a folder below the source tree, sorted.
std::vector<std::string> kernelFiles(const std::string &folder);
/// "line:column: message" of each error of the sink.
std::vector<std::string> errorLines(const DiagnosticSink &sink);
/// Each diagnostic and note of the sink as a directive says it; places in
/// another file than `path` have that file's name.
std::vector<std::string> diagnosticLines(const DiagnosticSink &sink,
                                         llvm::StringRef path);

} // namespace tz::frontend::test

#endif // TERRAZZO_TEST_UNIT_FRONTEND_KERNELFILE_H
