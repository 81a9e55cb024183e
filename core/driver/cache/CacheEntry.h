//===- CacheEntry.h - what the compile cache holds ------------------------===//
//
// What   Two levels. CompiledCode is what the vendor's compiler made of some
//        code, wherever in whichever file that code stands. CompileOutcome is
//        what one kernel of one file became for one job: failure or code, what
//        was said about it, and the lines.
// Why    A comment that was added costs the frontend and the shared passes, and
//        no code generation; nothing that changed costs neither, and is told
//        again word for word (R10).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_CACHE_CACHEENTRY_H
#define TERRAZZO_CORE_DRIVER_CACHE_CACHEENTRY_H

#include "core/driver/cache/Places.h"
#include "core/driver/source/Workspace.h"

namespace tz::driver {

/// A diagnostic as it was printed.
struct Message {
  uint32_t severity = 0;
  std::string text;
};

/// What a compilation read from disk, environment and the host program beside
/// its source.
struct Imports {
  struct File {
    std::string path, hash;
  };
  std::vector<frontend::ImportSearch> searches;
  frontend::EnvironmentReads environment;
  std::vector<File> files;
  /// Scopes are numbered in the order in which they were met, from 1.
  std::vector<frontend::HostRead> reads;

  static Imports of(const ParsedSource &source);
  /// True if reading them again would give the same. `around`: the source's.
  bool hold(const frontend::Surroundings &around) const;
};

/// First level, under jobKey.
struct CompileOutcome {
  Imports imports;
  std::vector<Message> messages;
  runtime::Status failure; // ok: the code is under `codeKey`
  std::string codeKey;
  std::vector<uint32_t> userLeaves; // as in runtime::Artifact
  std::vector<Place> sites;         // of the artifact's log sites, in order

  std::string write() const;
  /// Nothing, if the bytes are not what write() makes.
  static std::optional<CompileOutcome> read(std::string_view bytes);
};

/// A diagnostic of a vendor's compiler before it is printed.
struct VendorMessage {
  uint32_t severity = 0;
  std::string text;
  Place place;
};

/// Second level, under codeKey.
struct CompiledCode {
  /// As the vendor made it; what is the job's own is not filled in.
  runtime::Artifact artifact;
  std::vector<VendorMessage> messages;

  /// `source`: the module of the source that was compiled. `locations`: the
  /// hash of code and locations.
  std::string write(const PlaceTable &source, std::string_view locations) const;
  /// With the places of another source of the same code. Nothing, if the bytes
  /// are damaged or one of their places cannot be told in that source.
  static std::optional<CompiledCode> read(std::string_view bytes,
                                          const PlaceTable &source,
                                          std::string_view locations);
  /// The artifact alone, its places as in the source it was compiled from.
  static std::optional<runtime::Artifact> readArtifact(std::string_view bytes);
};

} // namespace tz::driver

#endif
