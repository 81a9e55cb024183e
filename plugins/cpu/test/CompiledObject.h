//===- CompiledObject.h - Objects made by a C compiler, for tests ---------===//
//
// What   Compiles C source to a relocatable object and returns its bytes.
// Why    The loader is tested with what a real code generator writes, not with
//        bytes that a test author believes it writes.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_TEST_COMPILEDOBJECT_H
#define TERRAZZO_PLUGINS_CPU_TEST_COMPILEDOBJECT_H

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace tz::cpu::test {

/// TERRAZZO_TEST_CC is the compiler of this build.
inline std::vector<std::byte> compileC(const std::string &source,
                                       const std::string &flags) {
  char folder[] = "/tmp/tz-cpu-test-XXXXXX";
  if (!mkdtemp(folder)) {
    throw std::runtime_error("no temporary folder");
  }
  std::string base = folder, c = base + "/a.c", o = base + "/a.o";
  std::ofstream(c) << source;
  std::string command = std::string(TERRAZZO_TEST_CC) +
                        " -c -std=c11 -ffreestanding " + flags + " " + c +
                        " -o " + o;
  int status = std::system(command.c_str());
  std::ifstream file(o, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)),
                   std::istreambuf_iterator<char>());
  unlink(c.c_str());
  unlink(o.c_str());
  rmdir(folder);
  if (status != 0 || text.empty()) {
    throw std::runtime_error("cannot compile: " + command);
  }
  auto *data = reinterpret_cast<const std::byte *>(text.data());
  return {data, data + text.size()};
}

/// Of kernels, whose text names the header of their entry "KERNEL_ENTRY".
inline std::vector<std::byte> compileKernels(std::string source,
                                             const std::string &flags) {
  const std::string mark = "KERNEL_ENTRY";
  source.replace(source.find(mark), mark.size(), TERRAZZO_KERNEL_ENTRY);
  return compileC(source, flags);
}

} // namespace tz::cpu::test

#endif
