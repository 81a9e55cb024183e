//===- File.h - files whose names others may have chosen ------------------===//
//
// What   Opening a regular file without waiting, bounded reading, replacing a
//        file as a whole, and folders that only this user can read.
// Why    A name in a shared folder may be a pipe, a device or a link to
//        somebody else's file. One place knows how to open, read and write it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_FILE_FILE_H
#define TERRAZZO_RUNTIME_FILE_FILE_H

#include "runtime/loader/Status.h"

#include <fcntl.h>
#include <span>
#include <sys/stat.h>

namespace tz::runtime {

/// A file descriptor, closed with the object.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() { (void)close(); }

  explicit operator bool() const { return number >= 0; }
  int get() const { return number; }
  /// Somebody else closes it.
  int release() { return std::exchange(number, -1); }
  /// False if the file system refuses late what was written.
  bool close();

private:
  int number;
};

/// A regular file, open for reading, and what fstat() says of it.
struct OpenFile {
  Descriptor descriptor;
  struct stat facts{};
};

/// Opens `name` below the open folder `folder` (AT_FDCWD: the current one) for
/// reading. Never waits: a pipe, a socket, a device and a folder are EINVAL.
/// Links are followed unless `flags` holds O_NOFOLLOW. Gives errno.
int openRegularAt(int folder, const char *name, int flags, OpenFile &out);

/// The same with a message. TZ_E_NOT_FOUND: it is not there.
/// TZ_E_FAILED_PRECONDITION: no regular file. TZ_E_UNAVAILABLE: cannot be
/// opened now.
Result<OpenFile> openRegular(const std::string &path);

/// What openRegular() says of that errno. A lack of memory or descriptors is
/// marked as transient.
Status cannotOpen(const std::string &path, int error);

/// Exactly `size` bytes from where the descriptor stands. False: an error,
/// which errno tells, or there are fewer, and errno is 0.
bool readExactly(int descriptor, char *to, size_t size);

/// All of a regular file. TZ_E_RESOURCE_LIMIT: it has more than `most` bytes.
Result<std::string> readRegular(const std::string &path, uint64_t most);
Result<std::string> readRegular(const OpenFile &file, const std::string &path,
                                uint64_t most);

/// Replaces or makes `name` in the open folder `folder`. Readers see the old
/// content or the new one, never a part. The content is written to a new file
/// with a random name beside it, which is then renamed; a link at `name` is
/// replaced, not followed. `mode`: before the umask. Gives errno; after an
/// error nothing is left behind.
int replaceFileAt(int folder, const std::string &name,
                  std::span<const std::string_view> parts, mode_t mode);

/// The same for a path, with a message.
Status replaceFile(const std::string &path, std::string_view content,
                   mode_t mode = 0666);

/// What lies in a folder, sorted. TZ_E_NOT_FOUND: there is none.
Result<std::vector<std::string>> namesIn(const std::string &folder);

/// Makes the folder and those above it that are missing, for this user alone.
/// Gives errno.
int makeFolders(const std::string &path);

/// A folder of this user's for what Terrazzo keeps between runs and no cache
/// may lose: $XDG_STATE_HOME/terrazzo/NAME, else
/// ~/.local/state/terrazzo/NAME. Nobody else can read or write it.
Result<std::string> stateFolder(const std::string &name);

/// Paths as text: the standard library's class crashes for want of memory.
/// Below the current folder if it is relative.
std::string absolutePath(const std::string &path);
/// Without the last name; "/" for what lies there.
std::string parentFolder(const std::string &path);
/// Absolute and without links; the path itself if it leads nowhere.
std::string realPath(const std::string &path);
bool isFolder(const std::string &path);
/// Of an absolute path, without "//", "." and "..". No file is asked.
std::string normalPath(std::string_view path);

/// 64 random bits as 16 hexadecimal digits, for names of temporary files.
std::string randomName();

/// "Permission denied"
std::string describeError(int error);

} // namespace tz::runtime

#endif
