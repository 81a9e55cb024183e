//===- CoexistTest.cpp - three LLVMs in one process -----------------------===//
//
// What   This program links LLVM and MLIR itself, loads the CPU plugin (a
//        second LLVM) and a test plugin (a third), and compiles with all of
//        them.
// Why    Symbol hygiene is a promise of the ABI: with default linking the
//        second copy aborts inside dlopen ("registered more than once").
//
//===----------------------------------------------------------------------===//
#include "runtime/loader/Registry.h"

#include "terrazzo/ir/Tile.h"
#include "terrazzo/wire/Wire.h"

#include "mlir/Parser/Parser.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/CommandLine.h"

#include <gtest/gtest.h>

namespace {

llvm::cl::opt<bool> hostOption("terrazzo-coexist-option", llvm::cl::Hidden);

const char *const Kernel = R"(
tile.kernel @empty(%n: i32) {
  tile.return
}
)";

std::string portable() {
  mlir::DialectRegistry registry;
  tz::tile::registerTileDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(Kernel, &context);
  EXPECT_TRUE(module);
  auto bytes = tz::wire::write(*module);
  EXPECT_TRUE(bool(bytes));
  return *bytes;
}

/// Compiles with a plugin; gives the text of its metadata entry `key`.
std::string compile(tz::runtime::Registry &registry, const char *name,
                    const std::string &bytes, const char *key) {
  auto plugin = registry.find(name);
  EXPECT_TRUE(plugin.ok()) << name;
  auto half = (*plugin)->compiler();
  EXPECT_TRUE(half.ok()) << half.status().message();
  if (!half.ok()) {
    return {};
  }
  tz_compile_request request{};
  request.struct_size = sizeof(request);
  const std::string target = (*half)->targets.front();
  request.target = {target.data(), target.size()};
  request.ir_format = {"tile", 4};
  request.ir_minor = 1;
  request.ir = {bytes.data(), bytes.size()};
  tz_artifact *artifact = nullptr;
  tz_error *error = (*half)->api->compile((*half)->object, &request, &artifact);
  if (error) {
    ADD_FAILURE() << std::string(error->message.data, error->message.size);
    error->release(error);
    return {};
  }
  EXPECT_GT(artifact->num_kernels, 0u);
  EXPECT_GT(artifact->num_blobs, 0u);
  std::string value;
  for (size_t i = 0; i < artifact->num_metadata; ++i) {
    const tz_kv &kv = artifact->metadata[i];
    if (std::string_view(kv.key.data, kv.key.size) == key) {
      value.assign(kv.str.data, kv.str.size);
    }
  }
  artifact->release(artifact);
  return value;
}

TEST(Coexist, ThreeCopiesOfLlvmCompileInTurn) {
  tz::runtime::RegistryOptions options;
  options.readEnvironment = false;
  options.manifestFiles = {TZ_CPU_MANIFEST, TZ_SECOND_MANIFEST};
  tz::runtime::Registry registry(options);
  const std::string bytes = portable();
  ASSERT_FALSE(bytes.empty());
  for (int round = 0; round < 3; ++round) {
    compile(registry, "cpu", bytes, "");
    const std::string theirs = compile(registry, "second", bytes, "llvm");
    ASSERT_FALSE(theirs.empty());
    EXPECT_NE(theirs, std::to_string(reinterpret_cast<uintptr_t>(
                          &llvm::parseAssemblyString)))
        << "the plugin bound to the host's LLVM";
    EXPECT_EQ(bytes, portable());
  }
}

} // namespace
