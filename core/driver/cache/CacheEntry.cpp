//===- CacheEntry.cpp - what the compile cache holds ----------------------===//
//
// What   The bytes of both levels: a mark, then fields in the order of their
//        declaration, counts before lists.
// Why    Bytes from a disk are anybody's: the reader is bounded, and what does
//        not read counts as absent.
//===----------------------------------------------------------------------===//
#include "core/driver/cache/CacheEntry.h"

#include "core/wire/Cursor.h"
#include "runtime/cache/Sha256.h"
#include "runtime/file/File.h"

namespace tz::driver {

using namespace runtime;
using wire::ByteReader;
using wire::ByteWriter;

static constexpr llvm::StringLiteral OutcomeMark("TZOUTCOME3");
static constexpr llvm::StringLiteral CodeMark("TZCODE1");

/// Of one imported file.
static constexpr uint64_t MaxImportBytes = uint64_t(1) << 30;

static llvm::StringRef ref(std::string_view text) {
  return {text.data(), text.size()};
}

static std::string hashOf(llvm::StringRef text) {
  return toHex(sha256(std::string_view(text.data(), text.size())));
}

Imports Imports::of(const ParsedSource &source) {
  Imports imports;
  if (!source.module) {
    return imports;
  }
  imports.searches = source.module->searches();
  imports.environment = source.module->environment();
  for (const auto &file : source.module->sources()) {
    if (file->path() != source.path && file->isFile()) {
      imports.files.push_back({file->path().str(), hashOf(file->text())});
    }
  }
  std::map<uint64_t, uint64_t> numbers{{0, 0}, {source.around.host.scope(), 1}};
  for (frontend::HostRead read : source.module->hostReads()) {
    read.scope = numbers[read.scope];
    read.answer.scope =
        numbers.try_emplace(read.answer.scope, numbers.size()).first->second;
    imports.reads.push_back(std::move(read));
  }
  return imports;
}

/// Does the host program answer what it answered then? Its scopes have other
/// numbers today.
static bool answersHold(const std::vector<frontend::HostRead> &reads,
                        const frontend::HostProgram &host) {
  if (reads.empty()) {
    return true;
  }
  if (!host) {
    return false;
  }
  std::map<uint64_t, uint64_t> today{{0, 0}, {1, host.scope()}};
  for (const frontend::HostRead &read : reads) {
    auto scope = today.find(read.scope);
    // An argument that is a scope has a number that means nothing here.
    if (scope == today.end() ||
        (read.isCall && read.text.find("scope(") != std::string::npos)) {
      return false;
    }
    frontend::HostName now = read.isCall ? host.call(scope->second, read.text)
                                         : host.find(scope->second, read.text);
    auto known = today.try_emplace(read.answer.scope, now.scope).first;
    if (known->second != now.scope) {
      return false;
    }
    now.scope = read.answer.scope;
    if (!(now == read.answer)) {
      return false;
    }
  }
  return true;
}

bool Imports::hold(const frontend::Surroundings &around) const {
  if (!frontend::isEnvironment(environment) ||
      !answersHold(reads, around.host)) {
    return false;
  }
  for (const frontend::ImportSearch &search : searches) {
    if (frontend::findImport(search.importer, search.dots, search.name,
                             around.importRoots) != search.file) {
      return false;
    }
  }
  for (const File &file : files) {
    Result<std::string> now = readRegular(file.path, MaxImportBytes);
    if (!now || hashOf(*now) != file.hash) {
      return false;
    }
  }
  return true;
}

static uint32_t number32(ByteReader &in) {
  uint64_t value = in.number();
  if (value > UINT32_MAX) {
    in.fail("a number is too large");
  }
  return uint32_t(value);
}

/// A truth value is written as 0 or 1; the reader takes nothing else.
static bool flag(ByteReader &in) {
  uint64_t value = in.number();
  if (value > 1) {
    in.fail("a truth value is neither 0 nor 1");
  }
  return value == 1;
}

static void write(ByteWriter &out, const Place &place) {
  out.string(place.file);
  out.number(place.line);
  out.number(place.column);
}

static Place readPlace(ByteReader &in) {
  Place place;
  place.file = in.string().str();
  place.line = number32(in);
  place.column = number32(in);
  return place;
}

std::string CompileOutcome::write() const {
  ByteWriter out;
  out.bytes = OutcomeMark.str();
  out.number(imports.searches.size());
  for (const frontend::ImportSearch &search : imports.searches) {
    out.string(search.importer);
    out.number(search.dots);
    out.string(search.name);
    out.string(search.file);
  }
  out.number(imports.environment.size());
  for (const auto &[name, value] : imports.environment) {
    out.string(name);
    out.number(value.has_value());
    out.string(value.value_or(""));
  }
  out.number(imports.files.size());
  for (const Imports::File &file : imports.files) {
    out.string(file.path);
    out.string(file.hash);
  }
  out.number(imports.reads.size());
  for (const frontend::HostRead &read : imports.reads) {
    out.number(read.scope);
    out.number(read.isCall);
    out.string(read.text);
    out.number(read.answer.kind);
    out.string(read.answer.text);
    out.string(read.answer.path);
    out.string(read.answer.name);
    out.number(read.answer.line);
    out.number(read.answer.scope);
  }
  out.number(messages.size());
  for (const Message &message : messages) {
    out.number(message.severity);
    out.string(message.text);
  }
  out.number(uint32_t(failure.code()));
  out.string(failure.message());
  out.number(failure.payload().size());
  for (const auto &[key, value] : failure.payload()) {
    out.string(key);
    out.string(value);
  }
  out.string(codeKey);
  out.number(userLeaves.size());
  for (uint32_t index : userLeaves) {
    out.number(index);
  }
  out.number(sites.size());
  for (const Place &site : sites) {
    driver::write(out, site);
  }
  return std::move(out.bytes);
}

std::optional<CompileOutcome> CompileOutcome::read(std::string_view bytes) {
  std::string error;
  ByteReader in(ref(bytes), error);
  if (in.take(OutcomeMark.size()) != OutcomeMark) {
    return std::nullopt;
  }
  CompileOutcome result;
  for (uint64_t n = in.count(4); n > 0 && in.ok(); --n) {
    frontend::ImportSearch &search = result.imports.searches.emplace_back();
    search.importer = in.string().str();
    search.dots = number32(in);
    search.name = in.string().str();
    search.file = in.string().str();
  }
  for (uint64_t n = in.count(3); n > 0 && in.ok(); --n) {
    std::string name = in.string().str();
    const bool isSet = flag(in);
    std::string value = in.string().str();
    auto &variables = result.imports.environment;
    // The writer has an ordered map, and no value for what is not set.
    if ((!isSet && !value.empty()) ||
        (!variables.empty() && name <= variables.rbegin()->first)) {
      in.fail("an environment that no writer writes");
    }
    variables[name] = isSet ? std::optional(std::move(value)) : std::nullopt;
  }
  for (uint64_t n = in.count(2); n > 0 && in.ok(); --n) {
    Imports::File &file = result.imports.files.emplace_back();
    file.path = in.string().str();
    file.hash = in.string().str();
  }
  for (uint64_t n = in.count(9); n > 0 && in.ok(); --n) {
    frontend::HostRead &read = result.imports.reads.emplace_back();
    read.scope = in.number();
    read.isCall = flag(in);
    read.text = in.string().str();
    read.answer.kind = number32(in);
    read.answer.text = in.string().str();
    read.answer.path = in.string().str();
    read.answer.name = in.string().str();
    read.answer.line = number32(in);
    read.answer.scope = in.number();
  }
  for (uint64_t n = in.count(2); n > 0 && in.ok(); --n) {
    Message &message = result.messages.emplace_back();
    message.severity = number32(in);
    message.text = in.string().str();
  }
  auto code = int32_t(number32(in));
  result.failure = Status(code, in.string().str());
  for (uint64_t n = in.count(2); n > 0 && in.ok(); --n) {
    std::string key = in.string().str();
    result.failure.with(std::move(key), in.string().str());
  }
  result.codeKey = in.string().str();
  for (uint64_t n = in.count(); n > 0 && in.ok(); --n) {
    result.userLeaves.push_back(number32(in));
  }
  for (uint64_t n = in.count(3); n > 0 && in.ok(); --n) {
    result.sites.push_back(readPlace(in));
  }
  if (!in.ok() || !in.atEnd()) {
    return std::nullopt;
  }
  return result;
}

namespace {

/// What a place of a vendor's answer is in the source's module.
enum class PlaceKind : uint8_t { None, Ops, Elsewhere };

struct CodePlaces {
  const PlaceTable &source;
  bool elsewhere = false;

  void write(ByteWriter &out, const Place &place) {
    std::vector<PlaceUse> uses = source.usesOf(place);
    bool none = place == Place();
    PlaceKind kind = none           ? PlaceKind::None
                     : uses.empty() ? PlaceKind::Elsewhere
                                    : PlaceKind::Ops;
    out.fixed<uint8_t>(uint8_t(kind));
    elsewhere |= kind == PlaceKind::Elsewhere;
    if (kind == PlaceKind::Elsewhere) {
      driver::write(out, place);
    } else if (kind == PlaceKind::Ops) {
      out.number(uses.size());
      for (const PlaceUse &use : uses) {
        out.number(use.op);
        out.number(use.part);
      }
    }
  }

  Place read(ByteReader &in) {
    switch (PlaceKind(in.fixed<uint8_t>())) {
    case PlaceKind::None:
      return {};
    case PlaceKind::Elsewhere:
      return readPlace(in);
    case PlaceKind::Ops: {
      std::vector<PlaceUse> uses;
      for (uint64_t n = in.count(2); n > 0 && in.ok(); --n) {
        auto op = number32(in);
        uses.push_back({op, number32(in)});
      }
      if (std::optional<Place> place = source.placeOf(uses)) {
        return *place;
      }
      in.fail("the source has more than one such place");
      return {};
    }
    }
    in.fail("unknown kind of place");
    return {};
  }
};

} // namespace

static Place placeOf(const LogSite &site) {
  return {site.file, site.line, site.col};
}

std::string CompiledCode::write(const PlaceTable &source,
                                std::string_view locations) const {
  CodePlaces places{source};
  ByteWriter rest;
  for (const LogSite &site : artifact.logSites) {
    places.write(rest, placeOf(site));
  }
  rest.number(messages.size());
  for (const VendorMessage &message : messages) {
    rest.number(message.severity);
    rest.string(message.text);
    places.write(rest, message.place);
  }
  ByteWriter out;
  out.bytes = CodeMark.str();
  // A place that no op has may be any, so the entry serves one source only.
  out.string(places.elsewhere ? ref(locations) : llvm::StringRef());
  out.string(artifact.write());
  out.bytes += rest.bytes;
  return std::move(out.bytes);
}

static std::optional<Artifact> readArtifactField(ByteReader &in) {
  llvm::StringRef bytes = in.string();
  Result<Artifact> artifact =
      Artifact::read(std::string_view(bytes.data(), bytes.size()));
  return artifact ? std::optional<Artifact>(std::move(*artifact))
                  : std::nullopt;
}

std::optional<Artifact> CompiledCode::readArtifact(std::string_view bytes) {
  std::string error;
  ByteReader in(ref(bytes), error);
  if (in.take(CodeMark.size()) != CodeMark) {
    return std::nullopt;
  }
  (void)in.string();
  return readArtifactField(in);
}

std::optional<CompiledCode> CompiledCode::read(std::string_view bytes,
                                               const PlaceTable &source,
                                               std::string_view locations) {
  std::string error;
  ByteReader in(ref(bytes), error);
  if (in.take(CodeMark.size()) != CodeMark) {
    return std::nullopt;
  }
  llvm::StringRef only = in.string();
  if (!only.empty() && only != ref(locations)) {
    return std::nullopt;
  }
  std::optional<Artifact> artifact = readArtifactField(in);
  if (!artifact) {
    return std::nullopt;
  }
  CompiledCode result{std::move(*artifact), {}};
  CodePlaces places{source};
  for (LogSite &site : result.artifact.logSites) {
    Place place = places.read(in);
    site.file = place.file;
    site.line = place.line;
    site.col = place.column;
  }
  for (uint64_t n = in.count(3); n > 0 && in.ok(); --n) {
    VendorMessage &message = result.messages.emplace_back();
    message.severity = number32(in);
    message.text = in.string().str();
    message.place = places.read(in);
  }
  if (!in.ok() || !in.atEnd()) {
    return std::nullopt;
  }
  return result;
}

} // namespace tz::driver
