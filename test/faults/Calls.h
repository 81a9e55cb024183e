//===- Calls.h - calls of the system that fail when a test wants it -------===//
//
// What   Counts allocations, file calls, mappings and threads of the whole
//        program, plugins and libraries included, and lets one of them fail.
// Why    A program that runs out of memory, descriptors or disk is the one that
//        nobody tries by hand.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_FAULTS_CALLS_H
#define TERRAZZO_TEST_FAULTS_CALLS_H

#include <cstdint>

namespace tz::faults {

enum class Call : uint32_t {
  Allocate, // malloc and its like, operator new: ENOMEM. Not what the dynamic
            // linker itself takes: glibc 2.36 then ends the process, or leaves
            // a library that is half loaded
  Open,     // open, openat, fopen, opendir, fdopendir: EMFILE
  Read,     // read, pread, fread, readdir: EIO
  Write,    // write, writev, fwrite: ENOSPC
  Rename,   // rename, renameat: EACCES
  Map,      // mmap, mprotect: ENOMEM
  Folder,   // mkdir, mkdtemp: EACCES
  Close,    // close after writing: EIO, as network file systems do
  Thread,   // pthread_create: EAGAIN
  Load,     // dlopen
  Driver,   // a device driver's function; the test's own driver asks
};
constexpr uint32_t NumCalls = 11;
const char *nameOf(Call call);

/// False where the function cannot be replaced (a sanitizer owns it).
bool canFail(Call call);

/// From now on the call number `at` (from 1) of that kind fails, of any thread;
/// 0: none does. Only calls while somebody is Inside count.
void arm(Call call, uint64_t at);
/// Nothing fails any more. Gives how many calls of the kind there were.
uint64_t disarm();
/// Since the last arm().
bool hasFailed();

/// While it lives, the program is in what is tested and not in the test.
class Inside {
public:
  Inside();
  ~Inside();
  Inside(const Inside &) = delete;
};

/// The test itself, called by what is tested, begins and ends.
void leaveForTest();
void returnFromTest();

/// For what is not replaced here: counts, and tells whether it must fail.
bool mustFail(Call call);

/// Blocks that are allocated now, by anybody; 0 where canFail(Allocate) is not.
int64_t liveBlocks();

} // namespace tz::faults

#endif
