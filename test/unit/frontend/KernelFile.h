//===- KernelFile.h - test files with directives ----------------*- C++ -*-===//
//
// What   Reads a .py file of the tests and its directives in comments:
//          # run: kernel x=*fp32 n=i32:16 one=i32:1 BLOCK:=64
//          # error@12:5: the message
//          # note@3:1: the note
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
  std::vector<KernelRun> runs;
  std::vector<std::string> errors; // "12:5: message", in order
  std::vector<std::string> notes;
};

/// `run` as written after "# run:".
KernelRun parseRun(llvm::StringRef run);
KernelFile readKernelFile(const std::string &path);
/// All .py files of a folder below the source tree, sorted.
std::vector<std::string> kernelFiles(const std::string &folder);
/// "line:column: message" of each error of the sink; of each note.
std::vector<std::string> errorLines(const DiagnosticSink &sink);
std::vector<std::string> noteLines(const DiagnosticSink &sink);

} // namespace tz::frontend::test

#endif // TERRAZZO_TEST_UNIT_FRONTEND_KERNELFILE_H
