//===- PluginLibrary.cpp - a plugin's shared object: opening, terms -------===//
//
// What   File checks (trusted, ELF for this machine, complete, expected hash)
//        on the open file, dlopen, entry symbol, negotiation.
// Why    The dynamic linker maps a truncated file without complaint and the
//        process dies later on a missing page, so completeness is checked here.
//        A library is never closed: LLVM and thread-locals do not survive it.
//        It is opened by its name, not as /proc/self/fd/N: debuggers, $ORIGIN
//        and fingerprints need the name.
//===----------------------------------------------------------------------===//
#include "runtime/loader/PluginLibrary.h"

#include "runtime/cache/Sha256.h"

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

namespace tz::runtime {

namespace {

#if defined(__x86_64__)
constexpr uint16_t OwnMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t OwnMachine = EM_AARCH64;
#else
#error "terrazzo runs on x86-64 and aarch64"
#endif

Status refuse(const std::string &path, const std::string &what) {
  return Status(TZ_E_FAILED_PRECONDITION, path + ": " + what);
}

/// As many bytes from `offset` on as there are, at most `size`.
size_t readAt(const OpenFile &file, void *to, size_t size, uint64_t offset) {
  size_t done = 0;
  while (done < size) {
    ssize_t count = pread(file.descriptor.get(), static_cast<char *>(to) + done,
                          size - done, off_t(offset + done));
    if (count <= 0 && !(count < 0 && errno == EINTR)) {
      break;
    }
    done += count > 0 ? size_t(count) : 0;
  }
  return done;
}

/// Every part that the dynamic linker would map must be inside the file.
Status checkElf(const OpenFile &file, const std::string &path) {
  const uint64_t size = uint64_t(file.facts.st_size);
  Elf64_Ehdr header{};
  size_t got = readAt(file, &header, sizeof(header), 0);
  if (got < 4 || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return refuse(path,
                  "not a shared object (no ELF header); the manifest must "
                  "name the plugin's library");
  }
  Status truncated = refuse(
      path, "truncated: " + std::to_string(size) +
                " bytes are fewer than its headers describe; install the "
                "plugin again");
  if (got < sizeof(header)) {
    return truncated;
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != OwnMachine) {
    return refuse(path, "built for another machine (ELF machine " +
                            std::to_string(header.e_machine) + ", this is " +
                            std::to_string(OwnMachine) + ")");
  }
  if (header.e_type != ET_DYN) {
    return refuse(path, "an ELF file but not a shared object");
  }
  uint64_t table = uint64_t(header.e_phnum) * sizeof(Elf64_Phdr);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > size ||
      table > size - header.e_phoff) {
    return truncated;
  }
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (readAt(file, segments.data(), table, header.e_phoff) != table) {
    return truncated;
  }
  bool dynamic = false;
  for (const Elf64_Phdr &segment : segments) {
    dynamic = dynamic || segment.p_type == PT_DYNAMIC;
    if ((segment.p_type == PT_LOAD || segment.p_type == PT_DYNAMIC) &&
        (segment.p_offset > size ||
         segment.p_filesz > size - segment.p_offset)) {
      return truncated;
    }
  }
  return dynamic ? Status()
                 : refuse(path, "an ELF file without dynamic section");
}

Status checkHash(const OpenFile &file, const std::string &path,
                 const std::string &expected) {
  if (expected.empty()) {
    return Status();
  }
  Sha256Hasher hasher;
  std::vector<char> buffer(1 << 16);
  uint64_t done = 0;
  while (size_t count = readAt(file, buffer.data(), buffer.size(), done)) {
    hasher.update({buffer.data(), count});
    done += count;
  }
  std::string found = toHex(hasher.finish());
  return found == expected
             ? Status()
             : refuse(path, "its SHA-256 is " + found + ", the manifest says " +
                                expected +
                                "; file and manifest are of different builds");
}

Result<TrustedFile> openChecked(const std::string &path,
                                const Manifest &manifest,
                                const TrustRule &trust) {
  Result<TrustedFile> file = openTrusted(path, trust);
  if (!file) {
    return file.status().code() == TZ_E_NOT_FOUND
               ? Status(TZ_E_NOT_FOUND,
                        path +
                            ": plugin library does not exist; it is named by " +
                            manifest.path)
               : file.takeStatus();
  }
  Status s = checkElf(file->file, path);
  return s.ok() ? std::move(file) : s;
}

/// dlerror() is text alone; a lack of memory or descriptors passes.
Status cannotLoad(const std::string &path) {
  const char *text = dlerror();
  Status status = refuse(path, std::string("cannot be loaded: ") +
                                   (text ? text : "unknown reason"));
  for (int error : {ENOMEM, EMFILE, ENFILE}) {
    if (text && std::string_view(text).find(describeError(error)) !=
                    std::string_view::npos) {
      status.with("transient", "true");
    }
  }
  return status;
}

/// A plugin of another major exports another symbol; say which.
Status noEntry(void *library, const std::string &path) {
  for (int major = 0; major < 100; ++major) {
    std::string name = "tz_plugin_query_v" + std::to_string(major);
    if (name != TZ_PLUGIN_ENTRY && dlsym(library, name.c_str())) {
      return refuse(path, "built for ABI major " + std::to_string(major) +
                              ", this Terrazzo serves major " +
                              std::to_string(TZ_ABI_MAJOR) +
                              "; rebuild the plugin");
    }
  }
  return refuse(path,
                std::string("not a Terrazzo plugin: it does not export ") +
                    TZ_PLUGIN_ENTRY);
}

const char *sanitizerName(uint32_t tag) {
  static const char *const names[] = {"none", "address", "thread", "memory"};
  return tag < 4 ? names[tag] : "unknown";
}

Status checkIdentity(const tz_plugin &p, const std::string &where,
                     const Manifest &m) {
  if (view(p.name) != m.name) {
    return refuse(where, "calls itself '" + std::string(view(p.name)) +
                             "', its manifest " + m.path + " says '" + m.name +
                             "'");
  }
  if (view(p.version) != m.version) {
    return refuse(where, "is version " + std::string(view(p.version)) +
                             ", its manifest " + m.path + " says " + m.version +
                             "; install both from one build");
  }
  return Status();
}

struct Slot {
  const char *name;
  bool present;
};

template <typename Table>
Result<const Table *> checkTable(const tz_plugin &plugin, const char *id,
                                 const std::string &where,
                                 std::vector<Slot> (*slots)(const Table *)) {
  const auto *table = static_cast<const Table *>(plugin.get_interface(id));
  if (!table) {
    return Status(TZ_E_UNIMPLEMENTED, where + ": does not offer " + id);
  }
  for (const Slot &slot : slots(table)) {
    if (!slot.present) {
      return refuse(where, std::string("its ") + id +
                               " table lacks the required function '" +
                               slot.name + "'");
    }
  }
  return table;
}

#define TZ_SLOT(T, f)                                                          \
  Slot { #f, TZ_HAS_FN(t, T, f) }

} // namespace

Status checkLibrary(const std::string &path, const Manifest &manifest,
                    const TrustRule &trust) {
  return openChecked(path, manifest, trust).takeStatus();
}

Result<const tz_plugin *> openLibrary(const std::string &path,
                                      const Manifest &manifest,
                                      const std::string &expectedSha256,
                                      const TrustRule &trust) {
  Result<TrustedFile> checked = openChecked(path, manifest, trust);
  if (!checked) {
    return checked.takeStatus();
  }
  if (Status s = checkHash(checked->file, path, expectedSha256); !s.ok()) {
    return s;
  }
  void *library = dlopen(checked->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return cannotLoad(path);
  }
  // The checked file is open, so no other file can have its number.
  struct stat now{};
  if (stat(checked->path.c_str(), &now) != 0 ||
      now.st_dev != checked->file.facts.st_dev ||
      now.st_ino != checked->file.facts.st_ino) {
    return refuse(path, "was replaced while it was opened; start the program "
                        "again when its installation is done");
  }
  auto query =
      reinterpret_cast<tz_plugin_query_fn>(dlsym(library, TZ_PLUGIN_ENTRY));
  if (!query) {
    return noEntry(library, path);
  }
  return negotiate(query, path, &manifest);
}

Result<const tz_plugin *> negotiate(tz_plugin_query_fn query,
                                    const std::string &where,
                                    const Manifest *manifest) {
  tz_query question{};
  question.struct_size = sizeof(question);
  question.abi_major = TZ_ABI_MAJOR;
  question.host_minor_min = TZ_ABI_OLDEST_MINOR;
  question.host_minor_max = TZ_ABI_MINOR;
  const tz_plugin *p = query(&question);
  std::string own =
      std::to_string(TZ_ABI_MAJOR) + "." + std::to_string(TZ_ABI_MINOR);
  if (!p) {
    return refuse(where, "the plugin does not serve a host of ABI " + own);
  }
  if (!TZ_HAS(p, tz_plugin, abi_minor_min_host) ||
      p->magic != TZ_PLUGIN_MAGIC) {
    return refuse(where, "the entry function did not answer a plugin "
                         "description (wrong magic)");
  }
  if (std::string why =
          whyNotServed(p->abi_major, p->abi_minor_built, p->abi_minor_min_host);
      !why.empty()) {
    return refuse(where, "the plugin " + why);
  }
  if (!TZ_HAS_FN(p, tz_plugin, get_interface)) {
    return refuse(where, "the plugin description is too short or lacks "
                         "get_interface");
  }
  if (p->sanitizer != TZ_SANITIZER_TAG) {
    return refuse(where, std::string("built with sanitizer '") +
                             sanitizerName(p->sanitizer) +
                             "', this process has '" +
                             sanitizerName(TZ_SANITIZER_TAG) +
                             "'; build both with the same preset");
  }
  if (manifest) {
    if (Status s = checkIdentity(*p, where, *manifest); !s.ok()) {
      return s;
    }
  }
  return p;
}

Result<const tz_compiler_api *> compilerTable(const tz_plugin &plugin,
                                              const std::string &where) {
  return checkTable<tz_compiler_api>(
      plugin, "tz.compiler/1", where, [](const tz_compiler_api *t) {
        return std::vector<Slot>{TZ_SLOT(tz_compiler_api, create),
                                 TZ_SLOT(tz_compiler_api, destroy),
                                 TZ_SLOT(tz_compiler_api, list_targets),
                                 TZ_SLOT(tz_compiler_api, describe_target),
                                 TZ_SLOT(tz_compiler_api, compile)};
      });
}

Result<const tz_device_api *> deviceTable(const tz_plugin &plugin,
                                          const std::string &where) {
  return checkTable<tz_device_api>(
      plugin, "tz.device/1", where, [](const tz_device_api *t) {
        return std::vector<Slot>{TZ_SLOT(tz_device_api, create),
                                 TZ_SLOT(tz_device_api, destroy),
                                 TZ_SLOT(tz_device_api, devices),
                                 TZ_SLOT(tz_device_api, device_info),
                                 TZ_SLOT(tz_device_api, mem_alloc),
                                 TZ_SLOT(tz_device_api, mem_free),
                                 TZ_SLOT(tz_device_api, copy),
                                 TZ_SLOT(tz_device_api, fill),
                                 TZ_SLOT(tz_device_api, stream_create),
                                 TZ_SLOT(tz_device_api, stream_destroy),
                                 TZ_SLOT(tz_device_api, stream_sync),
                                 TZ_SLOT(tz_device_api, module_load),
                                 TZ_SLOT(tz_device_api, module_unload),
                                 TZ_SLOT(tz_device_api, kernel_get),
                                 TZ_SLOT(tz_device_api, launch)};
      });
}

} // namespace tz::runtime
