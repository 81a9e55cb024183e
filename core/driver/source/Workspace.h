//===- Workspace.h - what one compilation works in ------------------------===//
//
// What   An MLIR context and the kernel files read into it; taken from a pool
//        and given back.
// Why    A context and the embedded library cost more to make than a small
//        kernel costs to compile, and neither may be used by two threads.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_SOURCE_WORKSPACE_H
#define TERRAZZO_CORE_DRIVER_SOURCE_WORKSPACE_H

#include "core/driver/Driver.h"
#include "core/driver/source/Rendering.h"
#include "core/frontend/Frontend.h"

#include "mlir/IR/MLIRContext.h"

namespace tz::driver {

/// A kernel source that was understood.
struct ParsedSource {
  std::string path, text;
  bool isIR = false;
  frontend::Surroundings around;
  std::optional<frontend::Module> module; // Python
  std::shared_ptr<const frontend::SourceFile> file;

  /// All files that were read so far.
  Sources files() const;
  /// False once an import is another file or has another text than when it was
  /// read.
  bool isCurrent() const;
};

/// As the source says; its import roots, then those of TERRAZZO_IMPORT_PATH.
frontend::Surroundings surroundingsOf(const runtime::KernelSource &source);

struct Workspace {
  Workspace();
  mlir::MLIRContext context;
  std::vector<std::shared_ptr<ParsedSource>> parsed; // last used at the end

  /// Reads a source or finds it among those read before. Null after errors.
  std::shared_ptr<ParsedSource> parse(const runtime::KernelSource &source,
                                      runtime::DiagnosticSink &diagnostics,
                                      FirstError &first);
};

/// Any thread. A lease may outlive the pool.
class WorkspacePool {
  struct Idle {
    void giveBack(std::unique_ptr<Workspace> workspace);
    std::mutex lock;
    std::vector<std::unique_ptr<Workspace>> workspaces;
  };

public:
  class Lease {
  public:
    Lease(std::shared_ptr<Idle> idle, std::unique_ptr<Workspace> held)
        : idle(std::move(idle)), held(std::move(held)) {}
    Lease(Lease &&other) noexcept = default;
    Lease &operator=(Lease &&) = delete;
    ~Lease() {
      if (held) {
        idle->giveBack(std::move(held));
      }
    }
    Workspace &operator*() const { return *held; }
    Workspace *operator->() const { return held.get(); }

  private:
    std::shared_ptr<Idle> idle;
    std::unique_ptr<Workspace> held;
  };
  Lease take();

private:
  const std::shared_ptr<Idle> idle = std::make_shared<Idle>();
};

} // namespace tz::driver

#endif
