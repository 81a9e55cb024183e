//===- ConditionVariable.cpp - waiting, for old C++ libraries -------------===//
//
// What   A hidden std::condition_variable::wait over pthreads.
// Why    libstdc++ 12 gave that function a new version (GLIBCXX_3.4.30). What
// we
//        ship, and the LLVM in it, is to run with the libstdc++ of a system of
//        glibc 2.34 (R19). Nothing else in it asks for a newer one.
//===----------------------------------------------------------------------===//
#include <condition_variable>
#include <mutex>
#include <pthread.h>

extern "C" __attribute__((visibility("hidden"), weak)) void
waitOnOldLibraries(std::condition_variable &condition,
                   std::unique_lock<std::mutex> &lock) noexcept
    __asm__("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE");

extern "C" void
waitOnOldLibraries(std::condition_variable &condition,
                   std::unique_lock<std::mutex> &lock) noexcept {
  pthread_cond_wait(condition.native_handle(), lock.mutex()->native_handle());
}
