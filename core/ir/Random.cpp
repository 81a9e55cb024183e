//===- Random.cpp - arc4random for old C libraries ------------------------===//
//
// What   A hidden arc4random over getrandom.
// Why    LLVM was built against glibc 2.36 and uses its arc4random (names of
//        temporary files); what we ship promises glibc 2.34 (R19). It lives in
//        the dialect's library because every shared object that carries LLVM
//        links that one.
//===----------------------------------------------------------------------===//
#include <cstdint>
#include <sys/random.h>

extern "C" __attribute__((visibility("hidden"))) uint32_t arc4random() {
  uint32_t value = 0;
  while (getrandom(&value, sizeof(value), 0) != sizeof(value)) {
  }
  return value;
}
