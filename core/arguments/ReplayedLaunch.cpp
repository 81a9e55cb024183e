//===- ReplayedLaunch.cpp - a captured launch, to be run again ------------===//
//
// What   See ReplayedLaunch.h.
// Why    See ReplayedLaunch.h.
//===----------------------------------------------------------------------===//
#include "core/arguments/ReplayedLaunch.h"

#include "core/arguments/CompiledKernel.h"
#include "core/arguments/Elements.h"
#include "core/driver/ArgumentTypes.h"
#include "core/driver/options/Options.h"
#include "runtime/file/File.h"
#include "runtime/launch/LoadedKernel.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tz::tool {

using namespace runtime;

Result<CapturedLaunch> loadCapture(const std::string &path) {
  constexpr uint64_t maxBytes = uint64_t(1) << 40;
  Result<std::string> bytes = readRegular(path, maxBytes);
  if (!bytes) {
    return bytes.takeStatus();
  }
  Result<CapturedLaunch> launch = readCapture(*bytes);
  return launch
             ? std::move(launch)
             : Result<CapturedLaunch>(std::move(launch.takeStatus()).in(path));
}

static Status damaged(std::string what) {
  return Status(TZ_E_DATA_LOSS,
                "the captured launch is damaged: " + std::move(what));
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// Values of that mean and deviation between the least and the most; as many
/// zeros if nothing is known.
static Result<std::vector<uint8_t>> drawn(const CapturedArray &array,
                                          uint32_t type, uint64_t count,
                                          uint64_t seed) {
  const size_t size = driver::elementBytes(type);
  std::vector<uint8_t> content(count * size);
  const ArrayStatistics &of = array.statistics;
  if (of.finite == 0) {
    return content;
  }
  constexpr uint64_t piece = uint64_t(1) << 20;
  for (uint64_t at = 0; at < count; at += piece) {
    const uint64_t here = std::min(piece, count - at);
    ArgumentText normal;
    normal.kind = ArgumentText::Buffer;
    normal.name = array.name;
    normal.type = TZ_TYPE_F64;
    normal.initializer = "randn";
    Result<std::vector<uint8_t>> values =
        fillBuffer(normal, here, seed + at, [](std::string_view) {
          return Result<int64_t>(Status(TZ_E_NOT_FOUND, "no names here"));
        });
    if (!values) {
      return values;
    }
    for (uint64_t i = 0; i < here; ++i) {
      double value = 0;
      std::memcpy(&value, values->data() + 8 * i, 8);
      value = std::clamp(of.mean + of.deviation * value, of.least, of.most);
      const uint64_t bits = encodeElement(
          type, driver::isFloatType(type) ? value : std::round(value));
      std::memcpy(content.data() + (at + i) * size, &bits, size);
    }
  }
  return content;
}

static Status bindArrays(const CapturedLaunch &captured, uint64_t seed,
                         Launch &launch) {
  for (const CapturedArray &array : captured.arrays) {
    BoundBuffer &buffer = launch.binding.buffers.emplace_back();
    buffer.name = array.name;
    buffer.type = driver::elementBytes(array.element) ? array.element
                                                      : uint32_t(TZ_TYPE_U8);
    const size_t size = driver::elementBytes(buffer.type);
    buffer.count = array.bytes / size;
    buffer.shape = {int64_t(buffer.count)};
    buffer.isGiven = true;
    if (array.hasContent) {
      // No element reaches into what is left behind the last one.
      buffer.content.assign(array.content.begin(),
                            array.content.begin() +
                                ptrdiff_t(buffer.count * size));
      continue;
    }
    Result<std::vector<uint8_t>> content =
        drawn(array, buffer.type, buffer.count, seed);
    if (!content) {
      return content.takeStatus();
    }
    buffer.content = std::move(*content);
    launch.note += (launch.note.empty() ? "" : "\n") +
                   ("array '" + array.name) + "' of " +
                   std::to_string(array.bytes) +
                   " bytes was too large to keep: its elements are drawn by "
                   "their statistics";
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Arguments and options
//===----------------------------------------------------------------------===//

static Result<BoundLeaf> leafOf(const CapturedArgument &argument,
                                const Binding &binding) {
  BoundLeaf leaf;
  leaf.type = argument.type;
  if (argument.type != TZ_TYPE_PTR) {
    leaf.kind = BoundLeaf::Scalar;
    leaf.bits = argument.bits;
    return leaf;
  }
  if (argument.array == CapturedArgument::Unknown) {
    return Status(TZ_E_FAILED_PRECONDITION,
                  "it was not known what memory argument '" + argument.name +
                      "' points into when the launch was captured; allocate it "
                      "by tz_memory_alloc, or tell it by "
                      "tz_stream_know_memory");
  }
  leaf.kind = BoundLeaf::Buffer;
  leaf.buffer = size_t(argument.array);
  leaf.offset = argument.bits;
  if (leaf.offset > binding.buffers[leaf.buffer].content.size()) {
    return damaged("'" + argument.name + "' points behind its array");
  }
  return leaf;
}

/// As text: a captured option that the target does not know is a warning's
/// business, a new one's is an error's.
static Status bindOptions(const CapturedLaunch &captured,
                          const ReplayChoices &choices, Launch &launch) {
  Binding::Options given;
  given.options = choices.options;
  if (Status s = launch.binding.bindOptions(given); !s.ok()) {
    return s;
  }
  for (const KeyValue &option : captured.options) {
    auto hasName = [&](const auto &other) { return other.key == option.key; };
    auto isLanguages = [&](const driver::OptionInfo &known) {
      return known.name == option.key;
    };
    if (llvm::any_of(launch.binding.options, hasName)) {
      continue;
    }
    if (choices.isElsewhere &&
        llvm::none_of(driver::languageOptions(), isLanguages)) {
      launch.note += (launch.note.empty() ? "option '" : "\noption '") +
                     option.key + "' is of '" + captured.target +
                     "' and is left out";
      continue;
    }
    launch.binding.options.push_back(option);
  }
  return Status();
}

static Status bindIR(const CapturedLaunch &captured, driver::Driver &driver,
                     DiagnosticSink &sink, Launch &launch) {
  KernelSource &source = launch.job.source;
  source.path = captured.kernel + ".mlir";
  source.text = captured.code;
  source.isIR = true;
  Result<KernelSignature> found = driver.signature(source, sink);
  if (!found) {
    return found.takeStatus();
  }
  launch.signature = std::move(*found);
  source.function = launch.signature.function;
  for (const KernelParameter &parameter : launch.signature.parameters) {
    auto argument =
        llvm::find_if(captured.arguments, [&](const CapturedArgument &one) {
          return one.name == parameter.name;
        });
    if (argument == captured.arguments.end()) {
      return damaged("argument '" + parameter.name + "' is missing");
    }
    Result<BoundLeaf> leaf = leafOf(*argument, launch.binding);
    if (!leaf) {
      return leaf.takeStatus();
    }
    launch.binding.leaves.push_back(*leaf);
    ArgumentSpec &spec = launch.binding.specs.emplace_back();
    spec.kind = ArgumentSpec::Runtime;
    spec.type = argument->type;
    spec.element = argument->element;
  }
  Result<SpecializationRule> rule =
      driver.specializationRule(source, launch.binding.specs, sink);
  if (!rule) {
    return rule.takeStatus();
  }
  launch.binding.applyRule(*rule);
  launch.job.arguments = launch.binding.specs;
  launch.job.options = launch.binding.options;
  return Status();
}

static Status bindArtifact(const CapturedLaunch &captured, Launch &launch) {
  Result<Artifact> artifact = Artifact::read(captured.code);
  if (!artifact) {
    return artifact.takeStatus();
  }
  launch.signature = signatureOf(*artifact);
  launch.binding.leaves.resize(artifact->leafNames().size());
  if (captured.arguments.size() != artifact->userLeaves.size()) {
    return damaged("the number of arguments");
  }
  for (auto [argument, at] :
       llvm::zip_equal(captured.arguments, artifact->userLeaves)) {
    Result<BoundLeaf> leaf = leafOf(argument, launch.binding);
    if (!leaf || at >= launch.binding.leaves.size()) {
      return leaf ? damaged("argument '" + argument.name + "'")
                  : leaf.takeStatus();
    }
    launch.binding.leaves[at] = *leaf;
  }
  launch.artifact = std::make_shared<const Artifact>(std::move(*artifact));
  return Status();
}

Result<Launch> replayed(const CapturedLaunch &captured,
                        const ReplayChoices &choices, driver::Driver &driver,
                        DiagnosticSink &sink) {
  Launch launch;
  launch.grid = captured.grid;
  Status s = checkGrid(launch.grid, "the captured grid");
  s = s.ok() ? bindArrays(captured, choices.seed, launch) : std::move(s);
  s = s.ok() ? bindOptions(captured, choices, launch) : std::move(s);
  if (s.ok()) {
    s = captured.isArtifact ? bindArtifact(captured, launch)
                            : bindIR(captured, driver, sink, launch);
  }
  return s.ok() ? Result<Launch>(std::move(launch))
                : Result<Launch>(std::move(s));
}

Status extract(const CapturedLaunch &captured, const std::string &folder) {
  if (int error = makeFolders(folder)) {
    return Status(TZ_E_UNAVAILABLE,
                  folder + " cannot be made: " + describeError(error));
  }
  const std::string kernel =
      folder + (captured.isArtifact ? "/kernel.tzo" : "/kernel.mlir");
  Status s = replaceFile(kernel, captured.code);
  for (size_t i = 0; s.ok() && i < captured.arrays.size(); ++i) {
    if (captured.arrays[i].hasContent) {
      s = replaceFile(folder + "/array" + std::to_string(i) + ".bin",
                      captured.arrays[i].content);
    }
  }
  return s;
}

} // namespace tz::tool
