//===- BindArguments.cpp - values and types of a kernel's parameters ------===//
//
// What   From what --arg and --constexpr say of a parameter to its
//        specification and its leaves.
// Why    Binding.cpp reads the words of a command line and knows names; this is
//        what a value is made of.
//===----------------------------------------------------------------------===//
#include "core/arguments/Binding.h"
#include "core/arguments/Elements.h"
#include "core/driver/ArgumentTypes.h"
#include "runtime/session/LaunchSlots.h"

#include <bit>

namespace tz::tool {

using namespace runtime;

static Status invalid(std::string message) {
  return Status(TZ_E_INVALID_ARGUMENT, std::move(message));
}

static ArgumentSpec runtimeSpec(uint32_t type, uint32_t element = 0) {
  ArgumentSpec spec;
  spec.kind = ArgumentSpec::Runtime;
  spec.type = type;
  spec.element = element;
  return spec;
}

std::optional<size_t> Binding::bufferNamed(std::string_view name) const {
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].name == name) {
      return i;
    }
  }
  return std::nullopt;
}

/// Those that the value holds.
Status Binding::addBuffers(const ArgumentText &text) {
  if (text.kind == ArgumentText::Buffer ||
      text.kind == ArgumentText::Addresses) {
    return addBuffer(text);
  }
  for (const ArgumentText &item : text.items) {
    if (Status s = addBuffers(item); !s.ok()) {
      return s;
    }
  }
  return Status();
}

Result<ArgumentSpec> Binding::bindConstant(const std::string &name,
                                           std::string_view text) {
  Result<Constant> value = parseConstant(text, names());
  if (!value) {
    return std::move(value.takeStatus()).in("constexpr '" + name + "'");
  }
  leaves.emplace_back().kind = BoundLeaf::Constant;
  ArgumentSpec spec;
  if (value->kind == Constant::None) {
    spec.kind = ArgumentSpec::None;
    return spec;
  }
  spec.kind = ArgumentSpec::Constant;
  spec.constant = toKeyValue(name, *value);
  return spec;
}

/// Of a constexpr parameter: a constant, or a tuple of such.
Result<ArgumentSpec> Binding::bindConstants(const ArgumentText &text) {
  switch (text.kind) {
  case ArgumentText::Tuple: {
    ArgumentSpec spec;
    spec.kind = ArgumentSpec::Tuple;
    spec.fields = text.fields;
    for (const ArgumentText &item : text.items) {
      Result<ArgumentSpec> part = bindConstants(item);
      if (!part) {
        return part;
      }
      spec.items.push_back(std::move(*part));
    }
    return spec;
  }
  case ArgumentText::Scalar:
  case ArgumentText::Constant:
    return bindConstant(text.name, text.value);
  case ArgumentText::None:
  case ArgumentText::Type:
    return bindConstant(text.name, text.whole);
  default:
    return invalid("parameter '" + text.name +
                   "' is constexpr and takes no buffer; add --constexpr " +
                   text.name + "=128");
  }
}

/// The type of a scalar that was given without one, as Python's values get it.
static uint32_t scalarType(const ArgumentText &text, const NameLookup &lookup) {
  if (text.type) {
    return text.type;
  }
  if (text.value == "True" || text.value == "False") {
    return TZ_TYPE_I1;
  }
  Result<Constant> value = parseConstant(text.value, lookup);
  if (value && value->kind == Constant::Float) {
    return TZ_TYPE_F32;
  }
  bool isWide = value && value->kind == Constant::Integer &&
                (value->integer < INT32_MIN || value->integer > INT32_MAX);
  return isWide ? TZ_TYPE_I64 : TZ_TYPE_I32;
}

Status Binding::bindList(const std::vector<std::string> &texts,
                         const std::string &where, const char *what,
                         std::vector<int64_t> &to) const {
  if (texts.empty()) {
    return Status();
  }
  to.clear();
  for (const std::string &text : texts) {
    Result<int64_t> value = evaluate(text);
    if (!value) {
      return std::move(value.takeStatus()).in(where + ", " + what);
    }
    to.push_back(*value);
  }
  return Status();
}

/// The specification of a descriptor: base, sizes, strides.
static ArgumentSpec descriptorSpec(uint32_t element,
                                   const std::vector<int64_t> &block,
                                   bool padsWithNaN) {
  ArgumentSpec spec;
  spec.kind = ArgumentSpec::Descriptor;
  spec.padsWithNaN = padsWithNaN;
  spec.block.assign(block.begin(), block.end());
  spec.items.push_back(runtimeSpec(TZ_TYPE_PTR, element));
  spec.items.insert(spec.items.end(), block.size(), runtimeSpec(TZ_TYPE_I32));
  spec.items.insert(spec.items.end(), block.size(), runtimeSpec(TZ_TYPE_I64));
  ArgumentSpec &last = spec.items.back();
  last = ArgumentSpec();
  last.kind = ArgumentSpec::Constant;
  last.constant.kind = TZ_KV_I64;
  last.constant.i64 = 1;
  return spec;
}

static Status checkDescriptor(const std::string &where, uint32_t element,
                              const std::vector<int64_t> &shape,
                              const std::vector<int64_t> &strides,
                              const std::vector<int64_t> &block,
                              bool padsWithNaN) {
  if (shape.size() != block.size() || strides.size() != block.size()) {
    return invalid(where + ": shape, strides and block have " +
                   std::to_string(shape.size()) + ", " +
                   std::to_string(strides.size()) + " and " +
                   std::to_string(block.size()) +
                   " dimensions; they must agree");
  }
  tz_descriptor d{};
  d.element = element;
  d.rank = uint32_t(block.size());
  d.padding = padsWithNaN ? TZ_PADDING_NAN : TZ_PADDING_ZERO;
  for (size_t i = 0; i < std::min<size_t>(d.rank, TZ_DESCRIPTOR_MAX_RANK);
       ++i) {
    d.shape[i] = shape[i];
    d.strides[i] = strides[i];
    d.block[i] = block[i] < 0 || block[i] > UINT32_MAX ? 0 : uint32_t(block[i]);
  }
  std::string mistake = findMistake(d);
  return mistake.empty() ? Status() : invalid(where + ": " + mistake);
}

Result<ArgumentSpec> Binding::bindDescriptor(const ArgumentText &text) {
  const std::string where = "argument '" + text.name + "'";
  const std::string &target =
      text.targets.empty() ? text.name : text.targets[0];
  std::optional<size_t> at = bufferNamed(target);
  if (!at || buffers[*at].text.kind != ArgumentText::Buffer) {
    return invalid(where + ": no buffer '" + target +
                   "'; write 'desc:randn:f16[512,256]:block[64,64]', or add "
                   "--buffer " +
                   target + "=randn:f16[512,256]");
  }
  const BoundBuffer &buffer = buffers[*at];
  std::vector<int64_t> shape = buffer.shape, strides, block, offset{0};
  Status s = bindList(text.block, where, "block", block);
  if (s.ok()) {
    s = bindList(text.shape, where, "shape", shape);
  }
  // Of a dense tensor of the buffer's sizes.
  int64_t step = 1;
  for (size_t d = buffer.shape.size(); d-- > 0;) {
    strides.insert(strides.begin(), step);
    step *= buffer.shape[d];
  }
  if (s.ok()) {
    s = bindList(text.strides, where, "strides", strides);
  }
  if (s.ok()) {
    s = bindList(text.offset, where, "offset", offset);
  }
  if (s.ok()) {
    s = checkDescriptor(where, buffer.type, shape, strides, block,
                        text.padsWithNaN);
  }
  if (!s.ok()) {
    return s;
  }
  if (offset[0] < 0 || uint64_t(offset[0]) >= buffer.count) {
    return invalid(where + ": offset " + std::to_string(offset[0]) +
                   " is outside of the buffer, which has " +
                   std::to_string(buffer.count) + " elements");
  }
  BoundLeaf base;
  base.kind = BoundLeaf::Buffer;
  base.type = TZ_TYPE_PTR;
  base.buffer = *at;
  base.offset = uint64_t(offset[0]) * driver::elementBytes(buffer.type);
  leaves.push_back(base);
  auto add = [&](uint32_t type, const std::vector<int64_t> &values) {
    for (int64_t value : values) {
      BoundLeaf leaf;
      leaf.kind = BoundLeaf::Scalar;
      leaf.type = type;
      leaf.bits = uint64_t(value);
      leaves.push_back(leaf);
    }
  };
  add(TZ_TYPE_I32, shape);
  add(TZ_TYPE_I64, strides);
  leaves.back().kind = BoundLeaf::Constant;
  return descriptorSpec(buffer.type, block, text.padsWithNaN);
}

Result<ArgumentSpec> Binding::bindDescriptorType(const ArgumentText &text) {
  const std::string where = "argument '" + text.name + "'";
  std::vector<int64_t> block;
  Status s = bindList(text.block, where, "block", block);
  if (s.ok()) {
    // Nothing is said of the sizes.
    std::vector<int64_t> ones(block.size(), 1);
    s = checkDescriptor(where, text.type, ones, ones, block, text.padsWithNaN);
  }
  if (!s.ok()) {
    return s;
  }
  for (size_t i = 0; i < 1 + 2 * block.size(); ++i) {
    BoundLeaf &leaf = leaves.emplace_back();
    leaf.promised = text.isDivisible && (i == 0 || i > block.size());
  }
  return descriptorSpec(text.type, block, text.padsWithNaN);
}

Result<ArgumentSpec> Binding::bindArgument(const ArgumentText &text,
                                           bool allowTypes) {
  bool isType = text.kind == ArgumentText::Type ||
                text.kind == ArgumentText::DescriptorType;
  if (isType && !allowTypes) {
    bool isMemory = text.isPointer || text.kind == ArgumentText::DescriptorType;
    return invalid("argument '" + text.name + "': '" + text.whole +
                   "' is a type alone; a run needs " +
                   (text.kind == ArgumentText::DescriptorType
                        ? "a descriptor, such as "
                          "'desc:randn:f16[512,256]:block[64,64]'"
                    : isMemory ? "a buffer, such as 'randn:f32[1024]'"
                               : "a value, such as '" + text.whole + ":1024'"));
  }
  switch (text.kind) {
  case ArgumentText::None:
    return bindConstant(text.name, "None");
  case ArgumentText::Constant:
    return bindConstant(text.name, text.value);
  case ArgumentText::Tuple: {
    ArgumentSpec spec;
    spec.kind = ArgumentSpec::Tuple;
    spec.fields = text.fields;
    for (const ArgumentText &item : text.items) {
      Result<ArgumentSpec> part = bindArgument(item, allowTypes);
      if (!part) {
        return part;
      }
      spec.items.push_back(std::move(*part));
    }
    return spec;
  }
  case ArgumentText::Descriptor:
    return bindDescriptor(text);
  case ArgumentText::DescriptorType:
    return bindDescriptorType(text);
  case ArgumentText::Type:
    leaves.emplace_back().promised = text.isDivisible;
    return text.isPointer ? runtimeSpec(TZ_TYPE_PTR, text.type)
                          : runtimeSpec(text.type);
  case ArgumentText::Buffer:
  case ArgumentText::Addresses: {
    BoundLeaf &leaf = leaves.emplace_back();
    leaf.kind = BoundLeaf::Buffer;
    leaf.type = TZ_TYPE_PTR;
    leaf.buffer = *bufferNamed(text.name); // addBuffers made it
    return runtimeSpec(TZ_TYPE_PTR, text.type);
  }
  case ArgumentText::Scalar:
    break;
  }
  uint32_t type = scalarType(text, names());
  Result<uint64_t> bits = scalarBits(type, text.value, names());
  if (!bits) {
    return std::move(bits.takeStatus()).in("argument '" + text.name + "'");
  }
  BoundLeaf &leaf = leaves.emplace_back();
  leaf.kind = BoundLeaf::Scalar;
  leaf.type = type;
  leaf.bits = *bits;
  return runtimeSpec(type);
}

Result<ArgumentSpec> Binding::bindParameter(const KernelParameter &parameter,
                                            const Options &given) {
  if (auto constant = constexprs.find(parameter.name);
      constant != constexprs.end()) {
    if (!isTuple(constant->second)) {
      return bindConstant(parameter.name, constant->second);
    }
    Result<ArgumentText> text = parseValue(parameter.name, constant->second);
    return text ? bindConstants(*text) : text.takeStatus();
  }
  auto arg = args.find(parameter.name);
  if (arg != args.end()) {
    return parameter.isConstexpr ? bindConstants(arg->second)
                                 : bindArgument(arg->second, given.allowTypes);
  }
  if (parameter.hasDefault) {
    leaves.emplace_back();
    return ArgumentSpec();
  }
  return invalid(
      parameter.isConstexpr
          ? "constexpr parameter '" + parameter.name +
                "' has no value; add --constexpr " + parameter.name + "=128"
          : "argument '" + parameter.name + "' is missing; add --arg " +
                parameter.name +
                (given.allowTypes ? "=*fp32:16 (a pointer) or --arg " +
                                        parameter.name + "=i32"
                                  : "=randn:f32[1024] (a buffer) or --arg " +
                                        parameter.name + "=i32:1024"));
}

} // namespace tz::tool
