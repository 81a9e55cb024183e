//===- Trust.cpp - which files a plugin may be made of --------------------===//
//
// What   See Trust.h. The walk for TERRAZZO_PLUGIN_TRUST=system opens one
//        folder after the other and never a name with more than one part.
// Why    If nobody else can write to any folder on the way, nobody else can
//        exchange the file, neither before it is opened nor afterwards. A hard
//        link needs no rule of its own: it lies in a folder too.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Trust.h"

#include "runtime/loader/Host.h"

#include <climits>
#include <cstdlib>
#include <deque>
#include <unistd.h>

namespace tz::runtime {

namespace {

constexpr int MaxLinks = 40; // as the kernel

/// Why a file or folder is not trusted; empty if it is. The bits of the group
/// also tell whether an access list lets somebody write.
std::string objection(const struct stat &facts, const TrustRule &rule) {
  if (facts.st_uid != 0 && facts.st_uid != rule.owner) {
    return "is not owned by root but by user " + std::to_string(facts.st_uid);
  }
  if (facts.st_mode & (S_IWGRP | S_IWOTH)) {
    return "may be written by others than its owner (chmod go-w mends that)";
  }
  return {};
}

class Walk {
public:
  Walk(std::string path, const TrustRule &rule)
      : asked(std::move(path)), rule(rule) {}

  Result<TrustedFile> open() {
    if (!add(absolutePath(asked))) {
      return refuse(asked, "does not lie below " + rule.above);
    }
    folder = Descriptor(::open(reached.c_str(), Flags));
    while (folder && !rest.empty()) {
      std::string name = std::move(rest.front());
      rest.pop_front();
      Result<bool> isFile = step(name);
      if (!isFile) {
        return isFile.takeStatus();
      }
      if (*isFile) {
        return openFile(name);
      }
    }
    return Status(folder ? TZ_E_FAILED_PRECONDITION : TZ_E_NOT_FOUND,
                  asked + ": " + describeError(folder ? EISDIR : errno));
  }

private:
  static constexpr int Flags = O_PATH | O_DIRECTORY | O_CLOEXEC;

  Status refuse(const std::string &path, const std::string &why) {
    std::string text = path + " " + why +
                       ", so it is not trusted "
                       "(TERRAZZO_PLUGIN_TRUST=system)";
    return Status(TZ_E_FAILED_PRECONDITION,
                  path == asked ? text : asked + ": " + text);
  }

  /// Puts the parts of an absolute path before the rest, and begins above.
  bool add(const std::string &path) {
    const std::string base = rule.above == "/" ? "" : rule.above;
    if (!path.starts_with(base + "/")) {
      return false;
    }
    reached = rule.above;
    prepend(path.substr(base.size()));
    return true;
  }

  void prepend(std::string_view path) {
    std::deque<std::string> parts;
    while (!path.empty()) {
      size_t end = std::min(path.find('/'), path.size());
      if (std::string_view part = path.substr(0, end);
          !part.empty() && part != ".") {
        parts.emplace_back(part);
      }
      path.remove_prefix(std::min(end + 1, path.size()));
    }
    rest.insert(rest.begin(), parts.begin(), parts.end());
  }

  std::string pathOf(const std::string &name) const {
    return (reached == "/" ? "" : reached) + "/" + name;
  }

  /// Enters a folder or follows a link. True: `name` is neither.
  Result<bool> step(const std::string &name) {
    if (name == "..") {
      return leave();
    }
    struct stat facts{};
    if (fstatat(folder.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      return Status(errno == ENOENT ? TZ_E_NOT_FOUND : TZ_E_UNAVAILABLE,
                    asked + ": " + describeError(errno));
    }
    if (S_ISLNK(facts.st_mode)) {
      return follow(name);
    }
    if (!S_ISDIR(facts.st_mode)) {
      return rest.empty() ? Result<bool>(true)
                          : Status(TZ_E_NOT_FOUND,
                                   asked + ": " + describeError(ENOTDIR));
    }
    Descriptor next(openat(folder.get(), name.c_str(), Flags | O_NOFOLLOW));
    if (!next || fstat(next.get(), &facts) != 0) {
      return Status(TZ_E_UNAVAILABLE, asked + ": " + describeError(errno));
    }
    reached = pathOf(name);
    if (std::string why = objection(facts, rule); !why.empty()) {
      return refuse("the folder " + reached, why);
    }
    folder = std::move(next);
    return false;
  }

  Result<bool> leave() {
    if (reached == rule.above) {
      if (reached == "/") {
        return false;
      }
      return refuse(asked, "leaves " + rule.above);
    }
    folder = Descriptor(openat(folder.get(), "..", Flags));
    if (!folder) {
      return Status(TZ_E_UNAVAILABLE, asked + ": " + describeError(errno));
    }
    reached = parentFolder(reached);
    return false;
  }

  /// The folder that a link lies in was asked, so only `owner` made it.
  Result<bool> follow(const std::string &name) {
    char text[PATH_MAX];
    ssize_t size = readlinkat(folder.get(), name.c_str(), text, sizeof(text));
    if (size <= 0 || size == ssize_t(sizeof(text)) || ++links > MaxLinks) {
      return Status(TZ_E_NOT_FOUND, asked + ": " + describeError(ELOOP));
    }
    const std::string to(text, size_t(size));
    if (to.front() != '/') {
      prepend(to);
      return false;
    }
    if (!add(to)) {
      return refuse(asked, "leads to " + to + ", out of " + rule.above);
    }
    folder = Descriptor(::open(reached.c_str(), Flags));
    return false;
  }

  Result<TrustedFile> openFile(const std::string &name) {
    TrustedFile made;
    made.path = pathOf(name);
    if (int error =
            openRegularAt(folder.get(), name.c_str(), O_NOFOLLOW, made.file)) {
      return cannotOpen(asked, error);
    }
    if (std::string why = objection(made.file.facts, rule); !why.empty()) {
      return refuse(made.path, why);
    }
    return made;
  }

  const std::string asked;
  const TrustRule &rule;
  std::deque<std::string> rest; // names still to go
  std::string reached;          // the open folder's path
  Descriptor folder;
  int links = 0;
};

} // namespace

TrustRule trustOfEnvironment() {
  TrustRule rule;
  if (auto trust = environment("TERRAZZO_PLUGIN_TRUST")) {
    rule.systemOnly = *trust == "system";
    if (!rule.systemOnly) {
      logMessage(1, "",
                 "TERRAZZO_PLUGIN_TRUST is '" + *trust +
                     "'; the only value is 'system'");
    }
  }
  return rule;
}

Result<TrustedFile> openTrusted(const std::string &path,
                                const TrustRule &rule) {
  if (rule.systemOnly) {
    return Walk(path, rule).open();
  }
  Result<OpenFile> file = openRegular(path);
  if (!file) {
    return file.takeStatus();
  }
  if (file->facts.st_mode & S_IWOTH) {
    return Status(TZ_E_FAILED_PRECONDITION,
                  path + ": everybody may write to this file, so it is not "
                         "trusted; remove the permission: chmod o-w");
  }
  return TrustedFile{std::move(*file), realPath(path)};
}

} // namespace tz::runtime
