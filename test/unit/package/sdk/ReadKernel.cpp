//===- ReadKernel.cpp - a compiler half's first step, from an install -----===//
//
// What   Reads portable bytes with KernelInput; prints the kernel's name, or
//        why the bytes are none.
// Why    The SDK's headers and libraries must be whole without the source.
//===----------------------------------------------------------------------===//
#include <terrazzo/plugin/KernelInput.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

int main(int, char **argv) {
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  tz_compile_request raw{};
  raw.struct_size = sizeof(raw);
  raw.ir_format = {"tile", 4};
  raw.ir = {bytes.data(), bytes.size()};
  try {
    tz::plugin::KernelInput<> input{tz::plugin::Request(raw)};
    std::printf("kernel %s\n", input.kernel.getSymName().str().c_str());
  } catch (const tz::plugin::Failure &failure) {
    std::printf("failure %s\n", failure.what());
    return 1;
  }
  return 0;
}
