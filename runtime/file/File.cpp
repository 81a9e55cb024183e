//===- File.cpp - files whose names others may have chosen ----------------===//
//
// What   See File.h.
// Why    See File.h.
//===----------------------------------------------------------------------===//
#include "runtime/file/File.h"

#include "runtime/loader/Host.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <sys/random.h>
#include <system_error>
#include <unistd.h>

namespace tz::runtime {

bool Descriptor::close() {
  const int closing = std::exchange(number, -1);
  // After EINTR Linux has closed it.
  return closing < 0 || ::close(closing) == 0 || errno == EINTR;
}

std::string describeError(int error) {
  return std::generic_category().message(error);
}

int openRegularAt(int folder, const char *name, int flags, OpenFile &out) {
  // Without O_NONBLOCK a pipe that nobody writes to would wait for ever.
  int number = 0;
  do {
    number = openat(folder, name,
                    O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
  } while (number < 0 && errno == EINTR);
  if (number < 0) {
    return errno == ENXIO ? EINVAL : errno; // a socket
  }
  OpenFile opened{Descriptor(number)};
  if (fstat(number, &opened.facts) != 0) {
    return errno;
  }
  if (!S_ISREG(opened.facts.st_mode)) {
    return EINVAL;
  }
  out = std::move(opened);
  return 0;
}

Status cannotOpen(const std::string &path, int error) {
  switch (error) {
  case EINVAL:
  case EISDIR:
    return Status(TZ_E_FAILED_PRECONDITION,
                  path + ": not a regular file (a folder, pipe, socket or "
                         "device)");
  case ENOENT:
  case ENOTDIR:
    return Status(TZ_E_NOT_FOUND, path + ": " + describeError(error));
  case ENOMEM:
    return Status(TZ_E_OUT_OF_MEMORY, path + ": " + describeError(error));
  case EMFILE:
  case ENFILE:
    return Status(TZ_E_UNAVAILABLE, path + ": " + describeError(error))
        .with("transient", "true");
  default:
    return Status(TZ_E_UNAVAILABLE, path + ": " + describeError(error));
  }
}

Result<OpenFile> openRegular(const std::string &path) {
  OpenFile file;
  int error = openRegularAt(AT_FDCWD, path.c_str(), 0, file);
  return error ? Result<OpenFile>(cannotOpen(path, error)) : std::move(file);
}

/// read(), again after a signal.
static ssize_t readSome(int descriptor, char *to, size_t size) {
  ssize_t count = 0;
  do {
    count = ::read(descriptor, to, size);
  } while (count < 0 && errno == EINTR);
  return count;
}

bool readExactly(int descriptor, char *to, size_t size) {
  while (size) {
    ssize_t count = readSome(descriptor, to, size);
    if (count <= 0) {
      errno = count == 0 ? 0 : errno;
      return false;
    }
    to += count;
    size -= size_t(count);
  }
  return true;
}

Result<std::string> readRegular(const OpenFile &file, const std::string &path,
                                uint64_t most) {
  const uint64_t expected = uint64_t(file.facts.st_size);
  auto tooLarge = [&] {
    return Status(TZ_E_RESOURCE_LIMIT,
                  path + ": larger than " + std::to_string(most) + " bytes");
  };
  if (expected > most) {
    return tooLarge();
  }
  std::string text;
  while (true) {
    const size_t held = text.size();
    // The size is a guess: files of /proc have none, others grow.
    text.resize(held <= expected ? expected + 1 : held + (1 << 16));
    ssize_t count =
        readSome(file.descriptor.get(), text.data() + held, text.size() - held);
    if (count < 0) {
      return Status(TZ_E_UNAVAILABLE,
                    path + ": cannot be read: " + describeError(errno));
    }
    text.resize(held + size_t(count));
    if (count == 0) {
      return text;
    }
    if (text.size() > most) {
      return tooLarge();
    }
  }
}

Result<std::string> readRegular(const std::string &path, uint64_t most) {
  Result<OpenFile> file = openRegular(path);
  return file ? readRegular(*file, path, most) : file.takeStatus();
}

std::string randomName() {
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof(bits), GRND_NONBLOCK) != sizeof(bits)) {
    // Names need only differ: an existing one is never opened.
    static std::atomic<uint64_t> counter{0};
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    bits = uint64_t(now.tv_sec) * 1000000007u + uint64_t(now.tv_nsec) +
           (uint64_t(getpid()) << 32) + ++counter;
  }
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) {
    text += "0123456789abcdef"[bits >> shift & 15];
  }
  return text;
}

static bool writeAll(int descriptor, std::string_view from) {
  while (!from.empty()) {
    ssize_t count = ::write(descriptor, from.data(), from.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      errno = count == 0 ? EIO : errno;
      return false;
    }
    from.remove_prefix(size_t(count));
  }
  return true;
}

int replaceFileAt(int folder, const std::string &name,
                  std::span<const std::string_view> parts, mode_t mode) {
  std::string temporary;
  Descriptor file;
  for (int attempt = 0; !file; ++attempt) {
    temporary = name + ".tmp." + randomName();
    file = Descriptor(
        openat(folder, temporary.c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file && errno != EINTR && (errno != EEXIST || attempt == 8)) {
      return errno;
    }
  }
  bool whole = true;
  for (std::string_view part : parts) {
    whole = whole && writeAll(file.get(), part);
  }
  int error = whole ? 0 : errno;
  if (!file.close() && !error) {
    error = errno;
  }
  if (!error &&
      renameat(folder, temporary.c_str(), folder, name.c_str()) != 0) {
    error = errno;
  }
  if (error) {
    (void)unlinkat(folder, temporary.c_str(), 0);
  }
  return error;
}

Status replaceFile(const std::string &path, std::string_view content,
                   mode_t mode) {
  int error = replaceFileAt(AT_FDCWD, path, std::span(&content, 1), mode);
  return error ? Status(TZ_E_UNAVAILABLE,
                        path + ": cannot be written: " + describeError(error))
               : Status();
}

std::string absolutePath(const std::string &path) {
  if (path.starts_with('/')) {
    return path;
  }
  char folder[PATH_MAX];
  return std::string(getcwd(folder, sizeof(folder)) ? folder : "") + "/" + path;
}

std::string realPath(const std::string &path) {
  char real[PATH_MAX];
  return realpath(path.c_str(), real) ? real : path;
}

bool isFolder(const std::string &path) {
  struct stat facts{};
  return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

Result<std::vector<std::string>> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  struct Closing {
    DIR *folder;
    ~Closing() {
      if (folder) {
        closedir(folder);
      }
    }
  } list{opendir(folder.c_str())};
  errno = list.folder ? 0 : errno;
  while (list.folder) {
    const dirent *entry = readdir(list.folder);
    if (!entry) {
      break;
    }
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.emplace_back(name);
    }
    errno = 0;
  }
  if (errno) {
    return cannotOpen(folder, errno);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string parentFolder(const std::string &path) {
  size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? std::string()
         : slash == 0               ? "/"
                                    : path.substr(0, slash);
}

std::string normalPath(std::string_view path) {
  std::string made;
  while (!path.empty()) {
    size_t end = std::min(path.find('/'), path.size());
    std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part == "..") {
      made.resize(made.find_last_of('/') == std::string::npos
                      ? 0
                      : made.find_last_of('/'));
    } else if (!part.empty() && part != ".") {
      (made += '/').append(part);
    }
  }
  return made.empty() ? "/" : made;
}

int makeFolders(const std::string &path) {
  if (mkdir(path.c_str(), 0700) == 0) {
    return 0;
  }
  if (errno == EEXIST) {
    struct stat facts{};
    if (stat(path.c_str(), &facts) != 0) {
      return errno;
    }
    return S_ISDIR(facts.st_mode) ? 0 : ENOTDIR;
  }
  size_t end = path.find_last_not_of('/');
  size_t slash = end == std::string::npos ? end : path.find_last_of('/', end);
  if (errno != ENOENT || slash == std::string::npos || slash == 0) {
    return errno;
  }
  if (int error = makeFolders(path.substr(0, slash))) {
    return error;
  }
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

Result<std::string> stateFolder(const std::string &name) {
  std::string base;
  if (auto state = environment("XDG_STATE_HOME"); state && !state->empty()) {
    base = *state;
  } else if (auto home = environment("HOME"); home && !home->empty()) {
    base = *home + "/.local/state";
  } else {
    return Status(TZ_E_UNAVAILABLE,
                  "there is no folder for it: neither XDG_STATE_HOME nor HOME "
                  "is set");
  }
  std::string path = base + "/terrazzo/" + name;
  auto refuse = [&](const std::string &why) {
    return Status(TZ_E_UNAVAILABLE, path + ": " + why);
  };
  if (int error = makeFolders(path)) {
    return refuse("cannot be made: " + describeError(error));
  }
  Descriptor folder(
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts{};
  if (!folder || fstat(folder.get(), &facts) != 0) {
    return refuse(errno == ENOTDIR || errno == ELOOP ? "is a link, not a folder"
                                                     : describeError(errno));
  }
  if (facts.st_uid != geteuid()) {
    return refuse("belongs to another user");
  }
  if ((facts.st_mode & 0077) && fchmod(folder.get(), 0700) != 0) {
    return refuse("others may read or write it, and that cannot be changed: " +
                  describeError(errno));
  }
  return path;
}

} // namespace tz::runtime
