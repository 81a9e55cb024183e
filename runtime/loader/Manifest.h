//===- Manifest.h - plugin.json, read before any file is opened -----------===//
//
// What   The facts of a plugin manifest and the bounded reader for them.
// Why    Static initialisers run inside dlopen, so everything that can be known
//        beforehand (ABI, system, IR versions) is checked on the text.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LOADER_MANIFEST_H
#define TERRAZZO_RUNTIME_LOADER_MANIFEST_H

#include "runtime/loader/Trust.h"

namespace tz::runtime {

struct IRVersionRange {
  std::string format;
  uint32_t minMajor = 0, minMinor = 0, maxMajor = 0, maxMinor = 0;
};

struct Manifest {
  std::string path; // of the file itself
  std::string name, vendor, version;
  /// Of the headers that the plugin was built with, and the least minor of a
  /// host that it works with.
  uint32_t abiMajor = 0, abiMinor = 0, minHostMinor = 0;
  std::vector<IRVersionRange> ir;
  // Absolute. Empty: no such half.
  std::string compilerLibrary;
  std::vector<std::string> deviceLibraries;
  std::string os, arch;             // empty: any
  std::vector<std::string> targets; // globs: "cpu:*"
  // Any of these must exist; both empty: no probe.
  std::vector<std::string> probeFiles;
  std::vector<std::string> probePciVendors; // "1002"
  /// Order of "auto", highest first; negative: never chosen by "auto".
  int priority = 0;
  std::string isolation; // "inprocess", "worker", ""
  // Hex. Empty: not checked; else one for each library.
  std::string compilerSha256;
  std::vector<std::string> deviceSha256;
};

/// Limits of the reader.
inline constexpr size_t MaxManifestBytes = 1u << 20;
inline constexpr int MaxManifestDepth = 16;

/// `path` is used for messages and to make library paths absolute. Accepts any
/// bytes. TZ_E_UNIMPLEMENTED: a manifest of a newer major, to be skipped.
Result<Manifest> parseManifest(std::string_view text, const std::string &path);
Result<Manifest> readManifest(const std::string &path, const TrustRule &trust);

/// What can be refused without opening the library: ABI, system, architecture.
Status checkManifest(const Manifest &manifest);

/// Why this host does not serve a plugin of these versions: "was built for ABI
/// 0.1, ...". Empty: it does.
std::string whyNotServed(uint32_t major, uint32_t minorBuilt,
                         uint32_t minorNeeded);

} // namespace tz::runtime

#endif
