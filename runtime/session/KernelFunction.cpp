//===- KernelFunction.cpp - a kernel function: source, parameters, launch -===//
//
// What   Loading a source or an artifact, binding constants to parameters,
//        checking a launch's arguments, launching.
// Why    Which code a launch gets is Specialize.cpp's question.
//===----------------------------------------------------------------------===//
#include "runtime/cache/Sha256.h"
#include "runtime/file/File.h"
#include "runtime/profile/ProfiledLaunch.h"
#include "runtime/session/SpecializationTable.h"

namespace tz::runtime {

/// Of a source or an artifact.
static constexpr uint64_t MaxSourceBytes = uint64_t(1) << 31;

KernelFunction::KernelFunction(Session &session, KernelRequest request)
    : session(session), request(std::move(request)) {}

KernelFunction::~KernelFunction() = default;

Result<std::unique_ptr<KernelFunction>>
KernelFunction::load(Session &session, KernelRequest request) {
  std::unique_ptr<KernelFunction> kernel(
      new KernelFunction(session, std::move(request)));
  if (Status s = kernel->initialize(); !s.ok()) {
    return s;
  }
  return kernel;
}

Status KernelFunction::initialize() {
  KernelSource &source = request.source;
  if (source.text.empty()) {
    Result<std::string> text = readRegular(source.path, MaxSourceBytes);
    if (!text) {
      return text.takeStatus();
    }
    source.text = std::move(*text);
  }
  if (source.text.starts_with("TZARTIF\n")) {
    if (Status s = initializeFromArtifact(source.text); !s.ok()) {
      return std::move(s).in(source.path);
    }
    return bindParameters();
  }
  if (!session.mayCompile()) {
    return Status(TZ_E_UNIMPLEMENTED,
                  source.path + ": this session must not compile; give it an "
                                "artifact made by `tz compile`");
  }
  if (!session.compiler()) {
    return Status(TZ_E_UNIMPLEMENTED,
                  source.path +
                      ": this library has no compiler (libterrazzo_runtime); "
                      "link libterrazzo, or load an artifact made by `tz "
                      "compile`");
  }
  // Portable bytes begin with their mark; the text form has its own suffix.
  source.isIR = source.isIR || source.path.ends_with(".mlir") ||
                source.path.ends_with(".tzir") ||
                source.text.find('\0') != std::string::npos;
  Result<KernelSignature> found =
      session.compiler()->signature(source, session);
  if (!found) {
    return found.takeStatus();
  }
  signature = std::move(*found);
  if (source.function.empty()) {
    source.function = signature.function;
  }
  return bindParameters();
}

Status KernelFunction::initializeFromArtifact(std::string_view bytes) {
  Result<Artifact> read = Artifact::read(bytes);
  if (!read) {
    return read.takeStatus();
  }
  if (!request.source.function.empty() &&
      request.source.function != read->function) {
    return Status(TZ_E_NOT_FOUND, "holds kernel '" + read->function +
                                      "', not '" + request.source.function +
                                      "'");
  }
  signature.function = read->function;
  for (const SpecializedParameter &p : read->parameters) {
    KernelParameter parameter;
    parameter.name = p.name;
    // A constant of the artifact may be given again, or not.
    parameter.isConstexpr = p.spec.kind == ArgumentSpec::Constant;
    parameter.hasDefault = !p.spec.hasRuntime();
    signature.parameters.push_back(std::move(parameter));
  }
  fixedArtifact = std::make_shared<const Artifact>(std::move(*read));
  return Status();
}

Status KernelFunction::bindParameters() {
  size_t count = signature.parameters.size();
  if (count > MaxLaunchArgs) {
    return Status(TZ_E_RESOURCE_LIMIT, "kernel '" + signature.function +
                                           "' has more than 256 parameters");
  }
  bound.resize(count);
  std::vector<bool> isBound(count, false);
  for (const NamedConstant &given : request.constants) {
    size_t i = 0;
    while (i < count && signature.parameters[i].name != given.name) {
      ++i;
    }
    if (i == count) {
      return Status(TZ_E_INVALID_ARGUMENT, "kernel '" + signature.function +
                                               "' has no parameter '" +
                                               given.name + "'");
    }
    KernelParameter parameter = signature.parameters[i];
    parameter.isConstexpr = true; // fixed for all launches
    SlotBuffer buffer;
    Slots slots;
    if (Status s = buffer.spread({&given.value, 1}, {&given.name, 1},
                                 signature.function, slots);
        !s.ok()) {
      return s;
    }
    size_t at = 0;
    Result<ArgumentSpec> spec =
        describe(parameter, signature.function, slots, at);
    if (!spec) {
      return spec.takeStatus();
    }
    bound[i] = std::move(*spec);
    isBound[i] = true;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!isBound[i]) {
      open.push_back(uint32_t(i));
      openNames.push_back(signature.parameters[i].name);
      openConstexpr.push_back(signature.parameters[i].isConstexpr);
      if (!signature.parameters[i].hasDefault) {
        required = open.size();
      }
    }
  }
  return Status();
}

Status KernelFunction::checkCount(size_t given) const {
  if (given >= required && given <= open.size()) [[likely]] {
    return Status();
  }
  std::string names;
  for (size_t i = 0; i < openNames.size(); ++i) {
    names += (i ? ", " : "") + openNames[i];
  }
  return Status(TZ_E_INVALID_ARGUMENT,
                "kernel '" + signature.function + "' takes " +
                    (required == open.size()
                         ? std::to_string(required)
                         : "from " + std::to_string(required) + " to " +
                               std::to_string(open.size())) +
                    " arguments (" + names + "), not " + std::to_string(given));
}

Status KernelFunction::spread(std::span<const tz_arg> args, SlotBuffer &buffer,
                              Slots &to) const {
  Status s = checkCount(args.size());
  return s.ok() ? buffer.spread(args, openNames, signature.function, to)
                : std::move(s);
}

Status KernelFunction::checkArrays(const Code &code, const Slots &slots) const {
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].type != TZ_TYPE_PTR || slots[i].bits || isConstant(slots, i)) {
      continue;
    }
    const size_t argument = slots.owner(i);
    // Of parts of an argument, and of code from a file, it is not known.
    const PointerUse *use = code.use(argument);
    if (!use || use->isRead || use->isWritten) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "argument '" + openNames[argument] + "' of kernel '" +
                        signature.function +
                        "' is a NULL array; give the address of its memory, or "
                        "None (tz_none) where the kernel can do without it");
    }
  }
  return Status();
}

Status KernelFunction::start(Specialization &code, Stream &stream,
                             const std::array<int64_t, 3> &grid,
                             const Slots &slots, bool repeats) {
  return session.capturer() ? startCaptured(code, stream, grid, slots, repeats)
                            : startNow(code, stream, grid, slots, repeats);
}

Status KernelFunction::startCaptured(Specialization &code, Stream &stream,
                                     const std::array<int64_t, 3> &grid,
                                     const Slots &slots, bool repeats) {
  CaptureRequest request;
  request.kernel = signature.function;
  request.source = this->request.source.path;
  request.options = &this->request.options;
  request.artifact = code.artifact.get();
  request.grid = grid;
  for (uint32_t slot : code.fromLaunch) {
    request.arguments.push_back(slots[slot]);
  }
  request.tile = [&]() -> Result<std::string> {
    Result<std::string_view> text = code.stage("tile");
    return text ? Result<std::string>(std::string(*text)) : text.takeStatus();
  };
  return session.capturer()->launch(request, stream, [&] {
    return startNow(code, stream, grid, slots, repeats);
  });
}

Status KernelFunction::startNow(Specialization &code, Stream &stream,
                                const std::array<int64_t, 3> &grid,
                                const Slots &slots, bool repeats) {
  ProfiledLaunch launch(session.hooks(), signature.function.c_str(), stream,
                        code.artifact, grid);
  Status status = launch.begin();
  if (!status.ok()) [[unlikely]] {
    // A kernel before has asserted.
  } else if (repeats && code.loaded->isDirect()) [[likely]] {
    status = code.loaded->launchDirect(stream, grid, slots.values.data(),
                                       code.fromLaunch.data(), launch.id());
  } else {
    std::array<ArgValue, MaxLaunchArgs> values;
    size_t count = code.fromLaunch.size();
    for (size_t i = 0; i < count; ++i) {
      const tz_arg &arg = slots[code.fromLaunch[i]];
      values[i] = {arg.type, normalized(arg)};
    }
    status =
        code.loaded->launch(stream, grid, {values.data(), count}, launch.id());
  }
  status = launch.end(std::move(status));
  return status.code() == TZ_E_FAULT ? locate(std::move(status), code)
                                     : std::move(status);
}

Status KernelFunction::locate(Status fault, const Specialization &code) const {
  fault = code.loaded->withPlace(std::move(fault));
  CompilerService *compiler = session.compiler();
  if (code.arguments.empty() || !compiler || fault.fact("line")) {
    return fault;
  }
  // Code with line tables has the same instructions.
  CompileJob job =
      jobFor(code.arguments, code.artifact->plugin, code.artifact->target);
  job.makeLines();
  SilentSink silence;
  Result<std::shared_ptr<const Artifact>> made =
      compiler->compile(job, silence);
  if (!made) {
    return fault;
  }
  Result<std::unique_ptr<LoadedKernel>> loaded =
      LoadedKernel::load(code.shape->device, *made);
  return loaded ? (*loaded)->withPlace(std::move(fault)) : fault;
}

Status KernelFunction::launch(Stream &stream,
                              const std::array<int64_t, 3> &grid,
                              std::span<const tz_arg> args, Code **used) {
  if (Specialization *known = findRecent(stream.device(), args)) [[likely]] {
    if (used) {
      *used = known;
    }
    return start(*known, stream, grid, {args, nullptr}, true);
  }
  // Before anything is compiled for a grid that cannot run.
  if (Status s = checkGrid(grid, "grid"); !s.ok()) {
    return s;
  }
  SlotBuffer buffer;
  Slots slots;
  if (Status s = spread(args, buffer, slots); !s.ok()) {
    return s;
  }
  Result<Specialization *> found =
      find(stream.sharedDevice(), slots, args.size());
  if (!found) {
    return found.takeStatus();
  }
  if (!session.allowsNullArrays()) {
    if (Status s = checkArrays(**found, slots); !s.ok()) {
      return s;
    }
  }
  if (used) {
    *used = *found;
  }
  Status status = start(**found, stream, grid, slots, false);
  if (status.ok()) {
    remember(**found);
  }
  return status;
}

Result<Code *> KernelFunction::compile(const std::shared_ptr<Device> &device,
                                       std::span<const tz_arg> args) {
  return codeFor(device, args, true);
}

Result<std::shared_ptr<const Artifact>>
KernelFunction::compileAhead(const std::shared_ptr<Device> &device,
                             std::span<const tz_arg> args) {
  Result<Code *> code = compile(device, args);
  if (!code) {
    return code.takeStatus();
  }
  CompilerService *compiler = session.compiler();
  if (fixedArtifact || !compiler) {
    return (*code)->artifact;
  }
  CompileJob job =
      jobFor((*code)->arguments, device->plugin().name(), device->target());
  job.makeAhead();
  return compiler->compile(job, session);
}

Result<Code *> KernelFunction::compileFor(std::string_view target,
                                          std::span<const tz_arg> args) {
  if (fixedArtifact || !session.compiler()) {
    return Status(TZ_E_UNIMPLEMENTED,
                  "kernel '" + signature.function +
                      "' cannot be compiled for target '" +
                      std::string(target) +
                      "': it was loaded as code, or there is no compiler here");
  }
  Result<ResolvedTarget> found = session.registry().resolve(target, false);
  if (!found) {
    return found.takeStatus();
  }
  SlotBuffer buffer;
  Slots slots;
  if (Status s = spread(args, buffer, slots); !s.ok()) {
    return s;
  }
  Result<std::unique_ptr<Shape>> shape =
      makeShape(0, nullptr, slots, args.size());
  if (!shape) {
    return shape.takeStatus();
  }
  uint64_t hash = 0;
  Result<std::unique_ptr<Specialization>> made =
      compileSpecialization(**shape, bitsOf(**shape, slots, hash), slots,
                            found->plugin->name(), found->id);
  if (!made) {
    return made.takeStatus();
  }
  // Without a device: no launch finds them.
  std::lock_guard guard(lock);
  shapes.push_back(std::move(*shape));
  specializations.push_back(std::move(*made));
  return static_cast<Code *>(specializations.back().get());
}

Result<Code *> KernelFunction::findCode(const std::shared_ptr<Device> &device,
                                        std::span<const tz_arg> args) {
  return codeFor(device, args, false);
}

Result<Code *> KernelFunction::codeFor(const std::shared_ptr<Device> &device,
                                       std::span<const tz_arg> args,
                                       bool makes) {
  SlotBuffer buffer;
  Slots slots;
  if (Status s = spread(args, buffer, slots); !s.ok()) {
    return s;
  }
  if (!makes && !fixedArtifact) {
    return static_cast<Code *>(findKnown(*device, slots));
  }
  Result<Specialization *> found = find(device, slots, args.size());
  if (!found) {
    return found.takeStatus();
  }
  return static_cast<Code *>(*found);
}

Result<std::string_view> Code::stage(const std::string &name) {
  std::lock_guard guard(lock);
  if (auto known = stages.find(name); known != stages.end()) {
    return std::string_view(known->second);
  }
  for (const Blob &blob : artifact->blobs) {
    if (blob.name == name || blob.format == name) {
      return std::string_view(stages[name] = blob.bytes);
    }
  }
  CompilerService *compiler = kernel->session.compiler();
  if (arguments.empty() || !compiler) {
    return Status(TZ_E_NOT_FOUND, "kernel '" + artifact->function +
                                      "' was not compiled here; its artifact "
                                      "has no '" +
                                      name + "'");
  }
  Result<std::string> made = compiler->stage(
      kernel->jobFor(arguments, artifact->plugin, artifact->target), name,
      kernel->session);
  if (!made) {
    return made.takeStatus();
  }
  return std::string_view(stages[name] = std::move(*made));
}

Result<std::pair<tz_dptr, uint64_t>> Code::global(std::string_view name) const {
  return loaded ? loaded->global(name)
                : Status(TZ_E_FAILED_PRECONDITION,
                         "kernel '" + artifact->function + "' for '" +
                             artifact->target +
                             "' is not loaded on a device, so its variables "
                             "have no addresses");
}

const std::string &Code::hash() {
  std::lock_guard guard(lock);
  if (hashText.empty()) {
    hashText = toHex(sha256(artifact->write()));
  }
  return hashText;
}

} // namespace tz::runtime
