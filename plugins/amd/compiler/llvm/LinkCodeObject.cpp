//===- LinkCodeObject.cpp - LLD in this process ---------------------------===//
//
// What   See linkCodeObject() in Amdgcn.h.
// Why    Drivers load shared objects. With the linker inside, nothing has to be
//        installed beside the plugin.
//===----------------------------------------------------------------------===//
#include "lld/Common/Driver.h"

#include "plugins/amd/compiler/llvm/Amdgcn.h"

#include "terrazzo/plugin/Error.h"

#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace tz::amd {

namespace {

/// A folder of this user alone, which goes away with what is in it.
class TemporaryFolder {
public:
  TemporaryFolder() {
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, path);
    sys::path::append(path, "terrazzo-link-XXXXXX");
    if (!::mkdtemp(const_cast<char *>(path.c_str()))) {
      throw plugin::Failure(TZ_E_UNAVAILABLE,
                            "no temporary folder could be made for the linker "
                            "(TMPDIR says where): " +
                                sys::StrError());
    }
  }
  ~TemporaryFolder() { sys::fs::remove_directories(path); }
  TemporaryFolder(const TemporaryFolder &) = delete;

  std::string file(StringRef name) const {
    SmallString<128> whole(path);
    sys::path::append(whole, name);
    return std::string(whole);
  }

private:
  SmallString<128> path;
};

void write(const std::string &path, const std::string &bytes) {
  std::error_code error;
  raw_fd_ostream stream(path, error);
  if (!error) {
    stream << bytes;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error) {
    throw plugin::Failure(TZ_E_UNAVAILABLE,
                          path + " could not be written: " + error.message());
  }
}

} // namespace

std::string linkCodeObject(const std::string &object) {
  static std::mutex one;
  std::lock_guard guard(one);
  const TemporaryFolder folder;
  const std::string from = folder.file("kernel.o"),
                    to = folder.file("kernel.hsaco");
  write(from, object);
  std::string words;
  raw_string_ostream errors(words);
  const lld::Result result =
      lld::lldMain({"ld.lld", "-shared", "--no-undefined", "--threads=1",
                    from.c_str(), "-o", to.c_str()},
                   nulls(), errors, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0) {
    throw plugin::Failure(TZ_E_INTERNAL,
                          "LLD refuses the kernel's object: " + words);
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> linked = MemoryBuffer::getFile(to);
  if (!linked) {
    throw plugin::Failure(TZ_E_UNAVAILABLE, to + " could not be read: " +
                                                linked.getError().message());
  }
  return (*linked)->getBuffer().str();
}

} // namespace tz::amd
