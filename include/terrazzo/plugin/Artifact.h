//===- terrazzo/plugin/Artifact.h - building a tz_artifact ----------------===//
//
// What   Plain structs that own their strings, and release(): the C structs
//        over them in one allocation that frees itself.
// Why    The C form is a web of pointers whose lifetimes end together; an
//        author should only say what is in it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_ARTIFACT_H
#define TERRAZZO_PLUGIN_ARTIFACT_H

#include <terrazzo/plugin/Error.h>

#include <deque>
#include <memory>
#include <vector>

namespace tz::plugin {

/// Postfix expressions: Expr().arg(0).constant(16).op(TZ_X_REM) ...
struct Expr {
  std::vector<tz_expr_step> steps;

  Expr &constant(int64_t v) { return push(TZ_X_CONST, 0, v); }
  Expr &arg(uint32_t i) { return push(TZ_X_ARG, i, 0); }
  Expr &grid(uint32_t axis) { return push(TZ_X_GRID, axis, 0); }
  Expr &device(uint32_t property) { return push(TZ_X_DEVICE, property, 0); }
  Expr &occupancy() { return push(TZ_X_OCCUPANCY, 0, 0); }
  Expr &op(uint32_t opcode) { return push(opcode, 0, 0); }
  tz_expr c() const { return tz_expr{steps.data(), steps.size()}; }

private:
  Expr &push(uint32_t op, uint32_t index, int64_t value) {
    steps.push_back(tz_expr_step{op, index, value});
    return *this;
  }
};

struct Argument {
  std::string name;
  uint32_t kind = TZ_ARG_USER, index = 0, type = 0, size = 0, align = 0,
           offset = 0;
  // TZ_ARG_TENSOR_VIEW
  uint32_t baseArg = 0, elementBits = 0;
  Expr byteOffset;
  std::vector<Expr> dims, strides;
};

struct KernelDescription {
  std::string name;
  Expr guard, grid[3], workspaceBytes;
  uint32_t workspaceAlign = 0, workspaceZero = TZ_ZERO_NO;
  std::vector<Argument> arguments;
  uint32_t argBytes = 0, flags = 0;
  uint32_t block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  uint32_t regs = 0, spillBytes = 0;
  uint64_t staticScratch = 0, dynScratch = 0;

  /// Appends a slot behind the last one, aligned to its own size.
  Argument &append(std::string name, uint32_t kind, uint32_t index,
                   uint32_t type, uint32_t size) {
    Argument a;
    a.name = std::move(name);
    a.kind = kind;
    a.index = index;
    a.type = type;
    a.size = a.align = size;
    a.offset = (argBytes + size - 1) / size * size;
    argBytes = a.offset + size;
    arguments.push_back(std::move(a));
    return arguments.back();
  }
};

struct LogSite {
  uint32_t kind = TZ_LOG_PRINT, flags = 0, line = 0, col = 0;
  std::string text, file, function;
  struct Value {
    uint32_t type = 0;
    std::vector<int64_t> shape;
  };
  std::vector<Value> values;
};

struct Blob {
  std::string name, format, bytes;
};

class Artifact {
public:
  std::vector<Blob> blobs;
  std::vector<KernelDescription> kernels;
  std::vector<LogSite> logSites;
  std::string compat;
  std::vector<std::pair<std::string, std::string>> metadata;

  /// The C form. Owns: the caller, until its release. May throw bad_alloc.
  tz_artifact *release() &&;

private:
  struct Form;
};

struct Artifact::Form {
  tz_artifact c{}; // first, so that its address is ours
  Artifact a;
  std::vector<tz_blob> blobList;
  std::deque<tz_kernel_info> kernelInfos;
  std::vector<const tz_kernel_info *> kernelList;
  std::deque<tz_arg_info> argInfos;
  std::deque<tz_view_info> viewInfos;
  std::deque<std::vector<const tz_arg_info *>> argLists;
  std::deque<std::vector<tz_expr>> exprLists;
  std::deque<tz_log_site> siteInfos;
  std::vector<const tz_log_site *> siteList;
  std::deque<std::vector<tz_log_value>> valueLists;
  std::vector<tz_kv> metadataList;

  explicit Form(Artifact &&from) : a(std::move(from)) {}

  const tz_expr *list(const std::vector<Expr> &from) {
    std::vector<tz_expr> &to = exprLists.emplace_back();
    for (const Expr &e : from) {
      to.push_back(e.c());
    }
    return to.data();
  }
  const tz_arg_info *argument(const Argument &from) {
    tz_arg_info &to = argInfos.emplace_back();
    to.struct_size = sizeof(to);
    to.kind = from.kind;
    to.index = from.index;
    to.type = from.type;
    to.size = from.size;
    to.align = from.align;
    to.offset = from.offset;
    to.name = str(from.name);
    if (from.kind == TZ_ARG_TENSOR_VIEW) {
      tz_view_info &view = viewInfos.emplace_back();
      view.struct_size = sizeof(view);
      view.base_arg = from.baseArg;
      view.element_bits = from.elementBits;
      view.rank = static_cast<uint32_t>(from.dims.size());
      view.byte_offset = from.byteOffset.c();
      view.dims = list(from.dims);
      view.strides = list(from.strides);
      to.view = &view;
    }
    return &to;
  }
  void kernel(const KernelDescription &from) {
    tz_kernel_info &to = kernelInfos.emplace_back();
    to.struct_size = sizeof(to);
    to.name = str(from.name);
    to.guard = from.guard.c();
    to.workspace_bytes = from.workspaceBytes.c();
    to.workspace_align = from.workspaceAlign;
    to.workspace_zero = from.workspaceZero;
    auto &args = argLists.emplace_back();
    for (const Argument &arg : from.arguments) {
      args.push_back(argument(arg));
    }
    to.args = args.data();
    to.num_args = args.size();
    to.arg_bytes = from.argBytes;
    to.flags = from.flags;
    for (int i = 0; i < 3; ++i) {
      to.grid[i] = from.grid[i].c();
      to.block[i] = from.block[i];
      to.cluster[i] = from.cluster[i];
    }
    to.regs = from.regs;
    to.spill_bytes = from.spillBytes;
    to.static_scratch = from.staticScratch;
    to.dyn_scratch = from.dynScratch;
    kernelList.push_back(&to);
  }
  void site(const LogSite &from) {
    tz_log_site &to = siteInfos.emplace_back();
    to.struct_size = sizeof(to);
    to.kind = from.kind;
    to.flags = from.flags;
    to.text = str(from.text);
    to.file = str(from.file);
    to.function = str(from.function);
    to.line = from.line;
    to.col = from.col;
    auto &values = valueLists.emplace_back();
    for (const LogSite::Value &v : from.values) {
      values.push_back(tz_log_value{
          v.type, static_cast<uint32_t>(v.shape.size()), v.shape.data()});
    }
    to.values = values.data();
    to.num_values = values.size();
    siteList.push_back(&to);
  }
  void build() {
    for (const Blob &b : a.blobs) {
      blobList.push_back(tz_blob{str(b.name), str(b.format),
                                 tz_bytes{b.bytes.data(), b.bytes.size()}});
    }
    for (const KernelDescription &k : a.kernels) {
      kernel(k);
    }
    for (const LogSite &s : a.logSites) {
      site(s);
    }
    for (const auto &[key, value] : a.metadata) {
      tz_kv kv{};
      kv.key = str(key);
      kv.kind = TZ_KV_STR;
      kv.str = str(value);
      metadataList.push_back(kv);
    }
    c.struct_size = sizeof(c);
    c.blobs = blobList.data();
    c.num_blobs = blobList.size();
    c.kernels = kernelList.data();
    c.num_kernels = kernelList.size();
    c.log_sites = siteList.data();
    c.num_log_sites = siteList.size();
    c.compat = str(a.compat);
    c.metadata = metadataList.data();
    c.num_metadata = metadataList.size();
    c.release = [](tz_artifact *self) {
      delete reinterpret_cast<Form *>(self);
    };
  }
};

inline tz_artifact *Artifact::release() && {
  auto form = std::make_unique<Form>(std::move(*this));
  form->build();
  return &form.release()->c;
}

} // namespace tz::plugin

#endif
