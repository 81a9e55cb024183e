//===- CompiledKernel.cpp - launching what tz compile has written ---------===//
//
// What   See CompiledKernel.h.
// Why    See CompiledKernel.h.
//===----------------------------------------------------------------------===//
#include "core/arguments/CompiledKernel.h"

#include "core/driver/ArgumentTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace tz::tool {

using namespace runtime;

static Status mismatch(const Artifact &artifact, const std::string &name,
                       const std::string &what) {
  return Status(TZ_E_INVALID_ARGUMENT,
                "argument '" + name + "': the artifact of '" +
                    artifact.function + "' was compiled for " + what +
                    "; give that, or compile the kernel again");
}

bool isArtifact(const KernelSource &source) {
  return llvm::StringRef(source.text).starts_with("TZARTIF\n") ||
         source.path.ends_with(".tzo");
}

KernelSignature signatureOf(const Artifact &artifact) {
  KernelSignature made;
  made.function = artifact.function;
  for (const SpecializedParameter &one : artifact.parameters) {
    KernelParameter parameter;
    parameter.name = one.name;
    parameter.isConstexpr = !one.spec.hasRuntime();
    parameter.hasDefault = parameter.isConstexpr;
    made.parameters.push_back(std::move(parameter));
  }
  return made;
}

/// As a command line writes it.
static std::string constantText(const KeyValue &value) {
  switch (value.kind) {
  case TZ_KV_F64: {
    char text[40];
    std::snprintf(text, sizeof(text), "%.17g", value.f64);
    // Without a point it would be an integer.
    return llvm::StringRef(text).find_first_of(".en") == llvm::StringRef::npos
               ? std::string(text) + ".0"
               : text;
  }
  case TZ_KV_STR:
    return '"' + value.str + '"';
  case TZ_KV_BOOL:
    return value.i64 ? "True" : "False";
  default:
    return std::to_string(value.i64);
  }
}

static bool names(const std::vector<std::string> &words,
                  const std::string &name) {
  return llvm::any_of(words, [&](const std::string &word) {
    return llvm::StringRef(word).split('=').first.trim() == name;
  });
}

Status completeFor(const Artifact &artifact, Binding::Options &given) {
  if (!given.options.empty() || given.debugLevel || !given.sanitize.empty()) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "an artifact is compiled already: give --option and "
                  "--debug-level to 'tz compile'");
  }
  for (const SpecializedParameter &one : artifact.parameters) {
    const ArgumentSpec &spec = one.spec;
    if (spec.kind == ArgumentSpec::Constant &&
        !names(given.constexprs, one.name) && !names(given.args, one.name)) {
      given.constexprs.push_back(one.name + "=" + constantText(spec.constant));
    }
    if (spec.kind != ArgumentSpec::Runtime || spec.type == TZ_TYPE_PTR) {
      continue;
    }
    for (std::string &word : given.args) {
      Result<ArgumentText> text = parseArgument(word);
      if (text && text->name == one.name &&
          text->kind == ArgumentText::Scalar && !text->type) {
        word = one.name + "=" + std::string(driver::languageName(spec.type)) +
               ":" + text->value;
      }
    }
  }
  return Status();
}

static Status checkBuffer(const Artifact &artifact, const Leaf &wanted,
                          const BoundLeaf &bound, uint32_t element) {
  const ArgumentSpec &spec = *wanted.spec;
  if (bound.kind != BoundLeaf::Buffer || spec.element != element) {
    return mismatch(artifact, wanted.name,
                    "a buffer of " +
                        std::string(driver::languageName(spec.element)));
  }
  if (spec.divisor && bound.offset % spec.divisor) {
    return mismatch(artifact, wanted.name,
                    "an address that is divisible by " +
                        std::to_string(spec.divisor));
  }
  return Status();
}

static Status checkScalar(const Artifact &artifact, const Leaf &wanted,
                          const BoundLeaf &bound) {
  const ArgumentSpec &spec = *wanted.spec;
  const std::string type(driver::languageName(spec.type));
  if (bound.kind != BoundLeaf::Scalar || bound.type != spec.type) {
    return mismatch(artifact, wanted.name, "the type " + type);
  }
  const auto value = int64_t(bound.bits);
  if (spec.equalsOne && value != 1) {
    return mismatch(artifact, wanted.name, "the value 1");
  }
  if (spec.divisor && value % int64_t(spec.divisor)) {
    return mismatch(artifact, wanted.name,
                    "a value that is divisible by " +
                        std::to_string(spec.divisor));
  }
  return Status();
}

/// Blocks and padding of descriptors, which are part of the code.
static Status checkDescriptors(const Artifact &artifact,
                               const std::string &name,
                               const ArgumentSpec &wanted,
                               const ArgumentSpec &bound) {
  if (wanted.kind == ArgumentSpec::Descriptor &&
      bound.kind == ArgumentSpec::Descriptor &&
      (wanted.block != bound.block ||
       wanted.padsWithNaN != bound.padsWithNaN)) {
    std::string block;
    for (uint32_t extent : wanted.block) {
      block += (block.empty() ? "" : ",") + std::to_string(extent);
    }
    return mismatch(artifact, name,
                    "block[" + block + "]" +
                        (wanted.padsWithNaN ? ":nan" : " padded with zero"));
  }
  if (wanted.kind == ArgumentSpec::Tuple && bound.kind == ArgumentSpec::Tuple) {
    for (auto [i, items] :
         llvm::enumerate(llvm::zip(wanted.items, bound.items))) {
      Status s = checkDescriptors(artifact, name + "." + std::to_string(i),
                                  std::get<0>(items), std::get<1>(items));
      if (!s.ok()) {
        return s;
      }
    }
  }
  return Status();
}

Status fitTo(const Artifact &artifact, Binding &binding) {
  std::vector<Leaf> wanted, bound;
  std::vector<SpecializedParameter> parameters = artifact.parameters;
  for (auto [i, one] : llvm::enumerate(parameters)) {
    Status s = checkDescriptors(artifact, one.name, one.spec, binding.specs[i]);
    if (!s.ok()) {
      return s;
    }
    addLeaves(wanted, one.spec, one.name, uint32_t(i));
    addLeaves(bound, binding.specs[i], one.name, uint32_t(i));
  }
  std::vector<BoundLeaf> ordered;
  for (const Leaf &leaf : wanted) {
    auto found = llvm::find_if(
        bound, [&](const Leaf &one) { return one.name == leaf.name; });
    const bool isGiven = found != bound.end();
    BoundLeaf &made = ordered.emplace_back();
    if (isGiven) {
      made = binding.leaves[size_t(found - bound.begin())];
    }
    Status s;
    if (leaf.spec->kind == ArgumentSpec::Runtime) {
      s = leaf.spec->type == TZ_TYPE_PTR
              ? checkBuffer(artifact, leaf, made,
                            isGiven ? found->spec->element : 0)
              : checkScalar(artifact, leaf, made);
    } else if (leaf.spec->kind == ArgumentSpec::Constant && isGiven &&
               found->spec->kind != ArgumentSpec::Default) {
      const std::string is = constantText(leaf.spec->constant);
      const bool isSame = found->spec->kind == ArgumentSpec::Constant &&
                          constantText(found->spec->constant) == is;
      s = isSame ? Status()
                 : mismatch(artifact, leaf.name, leaf.name + "=" + is);
    }
    if (!s.ok()) {
      return s;
    }
  }
  binding.leaves = std::move(ordered);
  return Status();
}

} // namespace tz::tool
