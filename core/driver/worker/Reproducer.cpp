//===- Reproducer.cpp - kernels that ended a compiler's process -----------===//
//
// What   See Reproducer.h.
// Why    See Reproducer.h.
//===----------------------------------------------------------------------===//
#include "core/driver/worker/Reproducer.h"

#include "runtime/cache/Sha256.h"
#include "runtime/file/File.h"

#include "terrazzo/ir/Tile.h"
#include "terrazzo/wire/Wire.h"

#include "llvm/Support/raw_ostream.h"

#include <filesystem>

namespace tz::driver {

using namespace runtime;
namespace fs = std::filesystem;

/// "tz compile kernel.mlir --target sim:any --option depth=3"
static std::string commandFor(const CompileJob &job, const std::string &path) {
  std::string text = "tz compile " + path + " --target " + job.target;
  for (const KeyValue &option : job.options) {
    std::string value = option.kind == TZ_KV_STR   ? option.str
                        : option.kind == TZ_KV_F64 ? std::to_string(option.f64)
                                                   : std::to_string(option.i64);
    text += " --option " + option.key + "=" + value;
  }
  return text;
}

static Result<std::string> textOf(std::string_view ir) {
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string kernel(ir), text;
  auto module = wire::read(kernel, context);
  if (!module) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "it is no tile IR: " + llvm::toString(module.takeError()));
  }
  llvm::raw_string_ostream(text) << **module << "\n";
  return text;
}

static void removeOldest(const std::string &folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (auto it = fs::directory_iterator(folder, error);
       !error && it != fs::directory_iterator(); it.increment(error)) {
    std::error_code gone;
    fs::file_time_type time = it->last_write_time(gone);
    if (!gone && it->path().extension() == ".mlir") {
      files.emplace_back(time, it->path());
    }
  }
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i + MaxReproducers < files.size(); ++i) {
    fs::remove(files[i].second, error);
  }
}

Result<std::string> keepKernel(const CompileJob &job, std::string_view ir) {
  Result<std::string> text = textOf(ir);
  if (!text) {
    return text;
  }
  Result<std::string> folder = stateFolder("reproducers");
  if (!folder) {
    return folder;
  }
  std::string path =
      *folder + "/terrazzo-" + toHex(sha256(ir)).substr(0, 12) + ".mlir";
  Status kept =
      replaceFile(path, "// " + commandFor(job, path) + "\n" + *text, 0600);
  if (!kept.ok()) {
    return kept;
  }
  removeOldest(*folder);
  return path;
}

} // namespace tz::driver
