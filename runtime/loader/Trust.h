//===- Trust.h - which files a plugin may be made of ----------------------===//
//
// What   The rule that manifests and libraries must pass, held against the open
//        file.
// Why    What these files say runs in this process. The file that was checked
//        must be the one that is used, so the rule opens it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LOADER_TRUST_H
#define TERRAZZO_RUNTIME_LOADER_TRUST_H

#include "runtime/file/File.h"

#include <sys/types.h>

namespace tz::runtime {

struct TrustRule {
  /// False: any regular file that not everybody may write.
  /// True (TERRAZZO_PLUGIN_TRUST=system): the file, and each folder that its
  /// name or a link on the way leads through, is `owner`'s or root's, and
  /// nobody else may write it.
  bool systemOnly = false;
  uid_t owner = 0;
  /// With systemOnly, names must begin with this folder. It and what is above
  /// are not asked. Tests choose one of their own.
  std::string above = "/";
};

/// What TERRAZZO_PLUGIN_TRUST says; any other value than "system" is told.
TrustRule trustOfEnvironment();

struct TrustedFile {
  OpenFile file;
  std::string path; // absolute and without links
};

/// Opens a file for reading if the rule lets it. Never waits for a pipe. The
/// codes are those of openRegular(); TZ_E_FAILED_PRECONDITION also for a file
/// that the rule refuses.
Result<TrustedFile> openTrusted(const std::string &path, const TrustRule &rule);

} // namespace tz::runtime

#endif
