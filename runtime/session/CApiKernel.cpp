//===- CApiKernel.cpp - terrazzo.h: kernels and their code ----------------===//
//
// What   tz_kernel_t, its launches, and tz_code_t.
// Why    See CApiHandles.h.
//===----------------------------------------------------------------------===//
#include "runtime/file/File.h"
#include "runtime/session/CApiHandles.h"

using namespace tz::runtime;

namespace {

Result<KeyValue> option(const tz_named_arg &given) {
  KeyValue kv;
  kv.key = given.name ? given.name : "";
  const tz_arg &v = given.value;
  switch (v.type) {
  case TZ_TYPE_I1:
    kv.kind = TZ_KV_BOOL;
    kv.i64 = v.bits & 1;
    return kv;
  case TZ_TYPE_I32:
  case TZ_TYPE_I64:
  case TZ_TYPE_U32:
    kv.kind = TZ_KV_I64;
    kv.i64 = int64_t(v.bits);
    return kv;
  case TZ_TYPE_F64:
    kv.kind = TZ_KV_F64;
    std::memcpy(&kv.f64, &v.bits, 8);
    return kv;
  case TZ_TYPE_STRING:
    kv.kind = TZ_KV_STR;
    kv.str = v.bits ? reinterpret_cast<const char *>(v.bits) : "";
    return kv;
  default:
    return Status(TZ_E_INVALID_ARGUMENT,
                  "option '" + kv.key +
                      "' must be an integer, bool, fp64 or string");
  }
}

Result<KernelRequest> translate(const tz_kernel_source &s) {
  if (!s.path && !s.text) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "a kernel source needs a path or a text");
  }
  KernelRequest request;
  request.source.path = s.path ? s.path : "<string>";
  if (s.text) {
    request.source.text.assign(s.text, s.text_size);
  }
  request.source.function = s.function ? s.function : "";
  for (size_t i = 0; i < s.num_constants; ++i) {
    const tz_named_arg &c = s.constants[i];
    request.constants.push_back({c.name ? c.name : "", c.value});
  }
  for (size_t i = 0; i < s.num_options; ++i) {
    Result<KeyValue> kv = option(s.options[i]);
    if (!kv) {
      return kv.takeStatus();
    }
    request.options.push_back(std::move(*kv));
  }
  for (size_t i = 0; i < s.num_import_roots; ++i) {
    if (!s.import_roots[i]) {
      return isNull("an import root");
    }
    if (!isFolder(s.import_roots[i])) {
      return Status(TZ_E_NOT_FOUND, std::string("import root '") +
                                        s.import_roots[i] +
                                        "': no such folder");
    }
    request.source.importRoots.emplace_back(s.import_roots[i]);
  }
  for (size_t i = 0; i < s.num_globals; ++i) {
    const tz_global &g = s.globals[i];
    std::string name = g.name ? g.name : "";
    if (name.find('.') == std::string::npos || !g.expression) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "global '" + name +
                        "' needs a name package.module.name and an expression");
    }
    request.source.globals[std::move(name)] = g.expression;
  }
  if (s.names) {
    readStruct(s.names, request.source.names);
    if (!request.source.names.find || !s.text || !s.line || !s.scope) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "a source with names needs their find(), a text, its line "
                    "and a scope");
    }
    request.source.scope = s.scope;
    request.source.line = s.line;
  }
  return request;
}

} // namespace

extern "C" {

tz_status_t tz_kernel_load(tz_session_t session, const tz_kernel_source *source,
                           tz_kernel_t *out) {
  TZ_REQUIRE(session);
  TZ_REQUIRE(source);
  TZ_REQUIRE(out);
  return guarded([&] {
    tz_kernel_source s;
    readStruct(source, s);
    if ((s.num_constants && !s.constants) || (s.num_options && !s.options)) {
      return isNull("constants or options");
    }
    if ((s.num_import_roots && !s.import_roots) ||
        (s.num_globals && !s.globals)) {
      return isNull("import_roots or globals");
    }
    Result<KernelRequest> request = translate(s);
    if (!request) {
      return request.takeStatus();
    }
    Result<std::unique_ptr<KernelFunction>> kernel =
        KernelFunction::load(*session->session, std::move(*request));
    if (kernel) {
      *out = new tz_kernel_s{std::move(*kernel)};
    }
    return kernel.takeStatus();
  });
}
void tz_kernel_destroy(tz_kernel_t kernel) { destroy(kernel); }

size_t tz_kernel_parameter_count(tz_kernel_t k) {
  return k ? k->kernel->openParameters().size() : 0;
}
const char *tz_kernel_parameter_name(tz_kernel_t k, size_t index) {
  return k && index < k->kernel->openParameters().size()
             ? k->kernel->openParameters()[index].c_str()
             : nullptr;
}

tz_status_t tz_kernel_launch(tz_kernel_t kernel, tz_stream_t stream,
                             const int64_t grid[3], const tz_arg *args,
                             size_t num_args) {
  TZ_REQUIRE(kernel);
  TZ_REQUIRE(stream);
  TZ_REQUIRE(grid);
  if (num_args && !args) {
    return give(isNull("args"));
  }
  return guarded([&] {
    return kernel->kernel->launch(*stream->stream, {grid[0], grid[1], grid[2]},
                                  {args, num_args});
  });
}
tz_status_t tz_kernel_prepare(tz_kernel_t kernel, tz_device_t device,
                              const tz_arg *args, size_t num_args) {
  TZ_REQUIRE(kernel);
  TZ_REQUIRE(device);
  if (num_args && !args) {
    return give(isNull("args"));
  }
  return guarded([&] {
    return kernel->kernel->compile(device->device, {args, num_args})
        .takeStatus();
  });
}
tz_status_t tz_kernel_save(tz_kernel_t kernel, tz_device_t device,
                           const tz_arg *args, size_t num_args,
                           const char *path) {
  TZ_REQUIRE(kernel);
  TZ_REQUIRE(device);
  TZ_REQUIRE(path);
  if (num_args && !args) {
    return give(isNull("args"));
  }
  return guarded([&] {
    Result<std::shared_ptr<const Artifact>> code =
        kernel->kernel->compileAhead(device->device, {args, num_args});
    if (!code) {
      return code.takeStatus();
    }
    return replaceFile(path, (*code)->write());
  });
}

// A tz_code_t is a Code of its kernel's.
static Code *codeOf(tz_code_t code) { return reinterpret_cast<Code *>(code); }

using GetCode = Result<Code *> (KernelFunction::*)(
    const std::shared_ptr<Device> &, std::span<const tz_arg>);

static tz_status_t giveCode(GetCode get, tz_kernel_t kernel, tz_device_t device,
                            const tz_arg *args, size_t num_args,
                            tz_code_t *out) {
  TZ_REQUIRE(kernel);
  TZ_REQUIRE(device);
  TZ_REQUIRE(out);
  if (num_args && !args) {
    return give(isNull("args"));
  }
  return guarded([&] {
    Result<Code *> code =
        ((*kernel->kernel).*get)(device->device, {args, num_args});
    if (code) {
      *out = reinterpret_cast<tz_code_t>(*code);
    }
    return code.takeStatus();
  });
}

tz_status_t tz_kernel_compile(tz_kernel_t kernel, tz_device_t device,
                              const tz_arg *args, size_t num_args,
                              tz_code_t *out) {
  return giveCode(&KernelFunction::compile, kernel, device, args, num_args,
                  out);
}
tz_status_t tz_kernel_compile_for(tz_kernel_t kernel, const char *target,
                                  const tz_arg *args, size_t num_args,
                                  tz_code_t *out) {
  TZ_REQUIRE(kernel);
  TZ_REQUIRE(target);
  TZ_REQUIRE(out);
  if (num_args && !args) {
    return give(isNull("args"));
  }
  return guarded([&] {
    Result<Code *> code = kernel->kernel->compileFor(target, {args, num_args});
    if (code) {
      *out = reinterpret_cast<tz_code_t>(*code);
    }
    return code.takeStatus();
  });
}
tz_status_t tz_kernel_find_code(tz_kernel_t kernel, tz_device_t device,
                                const tz_arg *args, size_t num_args,
                                tz_code_t *out) {
  return giveCode(&KernelFunction::findCode, kernel, device, args, num_args,
                  out);
}
tz_status_t tz_kernel_launch_code(tz_kernel_t kernel, tz_stream_t stream,
                                  const int64_t grid[3], const tz_arg *args,
                                  size_t num_args, tz_code_t *out) {
  TZ_REQUIRE(kernel);
  TZ_REQUIRE(stream);
  TZ_REQUIRE(grid);
  TZ_REQUIRE(out);
  if (num_args && !args) {
    return give(isNull("args"));
  }
  return guarded([&] {
    Code *used = nullptr;
    Status s = kernel->kernel->launch(
        *stream->stream, {grid[0], grid[1], grid[2]}, {args, num_args}, &used);
    if (s.ok()) {
      *out = reinterpret_cast<tz_code_t>(used);
    }
    return s;
  });
}

/// Variants with clusters come first, and serve few launches.
static const Variant &mostUsed(const std::vector<Variant> &variants) {
  const auto found = std::ranges::find_if(variants, [](const Variant &variant) {
    return std::ranges::all_of(variant.cluster,
                               [](uint32_t blocks) { return blocks <= 1; });
  });
  return found == variants.end() ? variants.front() : *found;
}

tz_status_t tz_code_describe(tz_code_t code, tz_code_facts *out) {
  TZ_REQUIRE(code);
  TZ_REQUIRE(out);
  return guarded([&] {
    const Artifact &artifact = codeOf(code)->compiled();
    const Variant &variant = mostUsed(artifact.variants);
    tz_code_facts facts{};
    facts.function = artifact.function.c_str();
    facts.plugin = artifact.plugin.c_str();
    facts.target = artifact.target.c_str();
    facts.hash = codeOf(code)->hash().c_str();
    facts.registers = variant.regs;
    facts.spill_bytes = variant.spillBytes;
    facts.threads = 1;
    for (int i = 0; i < 3; ++i) {
      facts.threads *= std::max(variant.block[i], 1u);
      facts.cluster[i] = std::max(variant.cluster[i], 1u);
    }
    facts.variants = uint32_t(artifact.variants.size());
    facts.shared_bytes = variant.staticScratch + variant.dynScratch;
    facts.has_log = !artifact.logSites.empty();
    writeStruct(out, facts);
    return Status();
  });
}
tz_status_t tz_code_pointer_use(tz_code_t code, size_t argument,
                                tz_pointer_use *out) {
  TZ_REQUIRE(code);
  TZ_REQUIRE(out);
  return guarded([&] {
    const PointerUse *use = codeOf(code)->use(argument);
    if (!use) {
      return Status(TZ_E_NOT_FOUND, "it is not known what is done through "
                                    "argument " +
                                        std::to_string(argument));
    }
    tz_pointer_use facts{};
    facts.is_read = use->isRead;
    facts.is_written = use->isWritten;
    facts.has_constant_steps = use->steps.has_value();
    if (use->steps) {
      facts.steps = use->steps->data();
      facts.num_steps = uint32_t(use->steps->size());
    }
    writeStruct(out, facts);
    return Status();
  });
}
tz_status_t tz_code_global(tz_code_t code, const char *name, uint64_t *address,
                           uint64_t *bytes) {
  TZ_REQUIRE(code);
  TZ_REQUIRE(name);
  TZ_REQUIRE(address);
  TZ_REQUIRE(bytes);
  return guarded([&] {
    Result<std::pair<tz_dptr, uint64_t>> found = codeOf(code)->global(name);
    if (found) {
      std::tie(*address, *bytes) = *found;
    }
    return found.takeStatus();
  });
}
tz_status_t tz_code_stage(tz_code_t code, const char *stage, const char **bytes,
                          size_t *size) {
  TZ_REQUIRE(code);
  TZ_REQUIRE(stage);
  TZ_REQUIRE(bytes);
  TZ_REQUIRE(size);
  return guarded([&] {
    Result<std::string_view> text = codeOf(code)->stage(stage);
    if (text) {
      *bytes = text->data();
      *size = text->size();
    }
    return text.takeStatus();
  });
}

} // extern "C"
