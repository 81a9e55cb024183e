//===- Container.cpp - header, section table and hash ---------------------===//
//
// What   The byte layout that Wire.h states, written and checked.
// Why    Order of checks: what the file is, whose version it is, whether it is
//        whole, then the hash; so that a newer file is called newer, and not
//        damaged.
//===----------------------------------------------------------------------===//
#include "core/wire/Container.h"

#include "core/wire/Cursor.h"

#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;

namespace tz::wire {

static constexpr StringLiteral Magic("\x8fTZIR\r\n\x1a");
static constexpr size_t HashOffset = 32, HashSize = 32, HeaderSize = 64;
static constexpr size_t SectionEntry = 24, MaxSections = 64;
static constexpr uint16_t PreparedFlag = 1;

llvm::Error failure(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static std::array<uint8_t, 32> hashOf(StringRef bytes) {
  SHA256 hasher;
  hasher.update(bytes.take_front(HashOffset));
  hasher.update(bytes.drop_front(HeaderSize));
  return hasher.final();
}

void rehash(std::string &bytes) {
  if (bytes.size() < HeaderSize) {
    return;
  }
  std::array<uint8_t, 32> hash = hashOf(bytes);
  std::copy(hash.begin(), hash.end(), bytes.begin() + HashOffset);
}

bool isPortable(StringRef bytes) { return bytes.starts_with(Magic); }

std::string pack(const Header &header, ArrayRef<Section> sections) {
  uint64_t offset = HeaderSize + SectionEntry * sections.size();
  ByteWriter table;
  std::string payload;
  for (const Section &section : sections) {
    table.fixed<uint32_t>(uint32_t(section.id));
    table.fixed<uint32_t>(section.skippable ? 1 : 0);
    table.fixed<uint64_t>(offset + payload.size());
    table.fixed<uint64_t>(section.bytes.size());
    payload += section.bytes;
    payload.resize((payload.size() + 7) / 8 * 8, '\0');
  }
  ByteWriter out;
  out.bytes = Magic.str();
  out.fixed<uint16_t>(ContainerVersion);
  out.fixed<uint16_t>(header.irMajor);
  out.fixed<uint16_t>(header.irMinor);
  out.fixed<uint16_t>(header.stage == Stage::Prepared ? PreparedFlag : 0);
  out.fixed<uint64_t>(offset + payload.size());
  out.fixed<uint32_t>(sections.size());
  out.fixed<uint32_t>(0);
  out.bytes.append(HashSize, '\0');
  out.bytes += table.bytes;
  out.bytes += payload;
  rehash(out.bytes);
  return std::move(out.bytes);
}

/// Reads the table; `error` is set if a section is not where it must be.
static void readSections(StringRef bytes, unsigned count, std::string &error,
                         SmallVectorImpl<Section> &sections) {
  StringRef table = bytes.substr(HeaderSize, count * SectionEntry);
  ByteReader reader(table, error);
  uint64_t expected = HeaderSize + table.size();
  for (unsigned i = 0; i < count && reader.ok(); ++i) {
    uint32_t id = reader.fixed<uint32_t>();
    uint32_t flags = reader.fixed<uint32_t>();
    uint64_t offset = reader.fixed<uint64_t>();
    uint64_t size = reader.fixed<uint64_t>();
    bool known = id >= 1 && id <= uint32_t(SectionId::Locations);
    if (flags > 1 || offset != expected || size > bytes.size() - offset) {
      reader.fail("section " + Twine(i) + " is not where it must be");
    } else if (!known && !(flags & 1)) {
      reader.fail("section " + Twine(id) +
                  " is unknown and may not be skipped");
    } else if (!sections.empty() && id <= uint32_t(sections.back().id)) {
      reader.fail("sections are not in order");
    }
    if (!reader.ok()) {
      return;
    }
    if (known) {
      sections.push_back(
          {SectionId(id), (flags & 1) != 0, bytes.substr(offset, size)});
    }
    uint64_t end = offset + size, padded = (end + 7) / 8 * 8;
    if (padded > bytes.size() ||
        bytes.slice(end, padded).find_first_not_of('\0') != StringRef::npos) {
      reader.fail("padding is missing or not zero");
    }
    expected = padded;
  }
  if (reader.ok() && expected != bytes.size()) {
    reader.fail("bytes are left after the last section");
  }
}

llvm::Expected<Header> unpack(StringRef bytes,
                              SmallVectorImpl<Section> &sections) {
  if (!isPortable(bytes)) {
    return failure("not a portable tile IR file");
  }
  std::string error;
  ByteReader reader(bytes, error);
  reader.take(Magic.size());
  unsigned container = reader.fixed<uint16_t>();
  Header header;
  header.irMajor = reader.fixed<uint16_t>();
  header.irMinor = reader.fixed<uint16_t>();
  unsigned flags = reader.fixed<uint16_t>();
  uint64_t total = reader.fixed<uint64_t>();
  uint32_t count = reader.fixed<uint32_t>();
  uint32_t reserved = reader.fixed<uint32_t>();
  if (!reader.ok() || bytes.size() < HeaderSize) {
    return failure("portable file: truncated in its header (" +
                   Twine(bytes.size()) + " bytes)");
  }
  if (container != ContainerVersion) {
    return failure("portable file: container version " + Twine(container) +
                   "; this build reads version " + Twine(ContainerVersion));
  }
  // R11: before 1.0 a version reads its own files only.
  if (header.irMajor != tile::IrMajor || header.irMinor != tile::IrMinor) {
    return failure("portable file: tile IR " + Twine(header.irMajor) + "." +
                   Twine(header.irMinor) + "; this build reads " +
                   Twine(tile::IrMajor) + "." + Twine(tile::IrMinor) +
                   " alone; compile the kernel again from its source");
  }
  if (total != bytes.size()) {
    return failure("portable file: " + Twine(bytes.size()) +
                   " bytes, its header says " + Twine(total) +
                   (bytes.size() < total ? "; it is truncated" : ""));
  }
  if (total > MaxTotalSize) {
    return failure("portable file: " + Twine(total) + " bytes; the limit is " +
                   Twine(MaxTotalSize));
  }
  std::array<uint8_t, 32> hash = hashOf(bytes);
  StringRef stored = bytes.substr(HashOffset, HashSize);
  if (stored != StringRef(reinterpret_cast<const char *>(hash.data()), 32)) {
    return failure("portable file: its hash does not match; it is damaged");
  }
  if (flags & ~PreparedFlag) {
    return failure("portable file: unknown flags " + Twine(flags));
  }
  header.stage = flags & PreparedFlag ? Stage::Prepared : Stage::Neutral;
  if (reserved != 0 || count > MaxSections ||
      count * SectionEntry > bytes.size() - HeaderSize) {
    return failure("portable file: bad number of sections");
  }
  readSections(bytes, count, error, sections);
  if (!error.empty()) {
    return failure("portable file: " + error);
  }
  return header;
}

llvm::Expected<Header> inspect(StringRef bytes) {
  SmallVector<Section> sections;
  return unpack(bytes, sections);
}

llvm::Expected<std::string> codeHash(StringRef bytes, bool withLocations) {
  SmallVector<Section> sections;
  Expected<Header> header = unpack(bytes, sections);
  if (!header) {
    return header.takeError();
  }
  SHA256 hasher;
  auto add = [&](uint64_t value) {
    ByteWriter number;
    number.fixed(value);
    hasher.update(number.bytes);
  };
  add(header->irMajor);
  add(header->irMinor);
  add(uint64_t(header->stage));
  for (const Section &section : sections) {
    if (withLocations || section.id != SectionId::Locations) {
      add(uint64_t(section.id));
      add(section.bytes.size());
      hasher.update(section.bytes);
    }
  }
  return toHex(hasher.final(), /*LowerCase=*/true);
}

} // namespace tz::wire
