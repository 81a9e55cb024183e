//===- BuildId.cpp - which compiler this is -------------------------------===//
//
// What   Finds the PT_NOTE of the loaded object that holds an address of ours.
// Why    See BuildId.h.
//===----------------------------------------------------------------------===//
#include "core/driver/cache/BuildId.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

namespace tz::driver {

namespace {
struct Search {
  uintptr_t address;
  std::string found, path;
};
} // namespace

static bool holds(const dl_phdr_info &object, uintptr_t address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto &segment = object.dlpi_phdr[i];
    uintptr_t start = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= start &&
        address < start + segment.p_memsz) {
      return true;
    }
  }
  return false;
}

static void readNotes(const char *at, size_t size, std::string &found) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof(note));
    size_t name = (size_t(note.n_namesz) + 3) & ~size_t(3);
    size_t content = (size_t(note.n_descsz) + 3) & ~size_t(3);
    size_t whole = sizeof(note) + name + content;
    if (whole > size) {
      return;
    }
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(at + sizeof(note), "GNU", 4) == 0) {
      const char *bytes = at + sizeof(note) + name;
      for (size_t i = 0; i < note.n_descsz; ++i) {
        found += "0123456789abcdef"[uint8_t(bytes[i]) >> 4];
        found += "0123456789abcdef"[uint8_t(bytes[i]) & 15];
      }
      return;
    }
    at += whole;
    size -= whole;
  }
}

static int visit(dl_phdr_info *object, size_t, void *data) {
  Search &search = *static_cast<Search *>(data);
  if (!holds(*object, search.address)) {
    return 0;
  }
  search.path = object->dlpi_name && *object->dlpi_name ? object->dlpi_name
                                                        : "/proc/self/exe";
  for (int i = 0; i < object->dlpi_phnum && search.found.empty(); ++i) {
    const auto &segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE) {
      readNotes(
          reinterpret_cast<const char *>(object->dlpi_addr + segment.p_vaddr),
          segment.p_memsz, search.found);
    }
  }
  return 1;
}

static std::string find() {
  Search search{reinterpret_cast<uintptr_t>(&visit), {}, {}};
  dl_iterate_phdr(visit, &search);
  if (search.found.empty()) {
    struct stat facts{};
    stat(search.path.c_str(), &facts);
    search.found = "file " + std::to_string(facts.st_size) + " " +
                   std::to_string(facts.st_mtim.tv_sec) + "." +
                   std::to_string(facts.st_mtim.tv_nsec);
  }
  return search.found;
}

const std::string &buildId() {
  static const std::string id = find();
  return id;
}

} // namespace tz::driver
