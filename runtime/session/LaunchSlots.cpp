//===- LaunchSlots.cpp - the arguments of a launch, one after another -----===//
//
// What   See LaunchSlots.h.
// Why    See LaunchSlots.h. A caller's structs are read here and nowhere else:
//        tuples that contain themselves end at the bound of slots.
//===----------------------------------------------------------------------===//
#include "runtime/session/LaunchSlots.h"

#include "runtime/launch/PlanEvaluator.h"

#include <bit>
#include <cstring>

namespace tz::runtime {

/// The caller's struct as this library knows it; missing fields are zero.
template <typename T>
static bool readStruct(const T *from, T &to) {
  to = T{};
  if (!from || from->struct_size < sizeof(size_t)) {
    return false;
  }
  std::memcpy(&to, from, std::min(sizeof(T), from->struct_size));
  return true;
}

static bool isFloat(uint32_t type) {
  return type >= TZ_TYPE_F16 && type <= TZ_TYPE_F8E5M2FNUZ;
}

std::string findMistake(const tz_descriptor &d) {
  const std::string what = "a tensor descriptor ";
  if (d.rank < 1 || d.rank > TZ_DESCRIPTOR_MAX_RANK) {
    return what + "has 1 to 5 dimensions, found " + std::to_string(d.rank);
  }
  if (!elementSize(d.element) || d.element == TZ_TYPE_PTR) {
    return what + "needs the type of its elements (TZ_TYPE_F16 ...), found " +
           std::to_string(d.element);
  }
  if (d.padding > TZ_PADDING_NAN) {
    return what + "pads with zero or NaN, found padding " +
           std::to_string(d.padding);
  }
  if (d.padding == TZ_PADDING_NAN && !isFloat(d.element)) {
    return what + "pads with NaN only if its elements are floats, found " +
           typeName(d.element);
  }
  for (uint32_t i = 0; i < d.rank; ++i) {
    std::string at = "[" + std::to_string(i) + "] of ";
    if (d.shape[i] < 0 || d.shape[i] > INT32_MAX) {
      return "shape" + at + what + "is from 0 to 2147483647, found " +
             std::to_string(d.shape[i]);
    }
    if (!std::has_single_bit(d.block[i])) {
      return "block" + at + what + "is a power of two, found " +
             std::to_string(d.block[i]);
    }
  }
  if (d.strides[d.rank - 1] != 1) {
    return "the last stride of " + what + "is 1, found " +
           std::to_string(d.strides[d.rank - 1]) +
           "; make the last dimension contiguous";
  }
  uint64_t bytes = uint64_t(d.block[d.rank - 1]) * elementSize(d.element);
  if (bytes < 16) {
    return "the last dimension of the block of " + what +
           "spans 16 bytes or more, found " + std::to_string(bytes);
  }
  return {};
}

SlotBuffer::MaybeMistake SlotBuffer::add(const tz_arg &arg) {
  if (count == MaxLaunchArgs) {
    return Mistake{{},
                   "the arguments of a launch have more than " +
                       std::to_string(MaxLaunchArgs) + " parts",
                   TZ_E_RESOURCE_LIMIT};
  }
  owners[count] = owner;
  values[count++] = arg;
  return std::nullopt;
}

SlotBuffer::MaybeMistake SlotBuffer::addDescriptor(const tz_descriptor *given) {
  tz_descriptor d;
  if (!readStruct(given, d)) {
    return Mistake{{},
                   given ? "struct_size of a tz_descriptor is not set"
                         : "the address of a tz_descriptor is NULL"};
  }
  if (std::string mistake = findMistake(d); !mistake.empty()) {
    return Mistake{{}, std::move(mistake)};
  }
  uint64_t facts = d.padding;
  for (uint32_t i = 0; i < d.rank; ++i) {
    facts |= uint64_t(std::countr_zero(d.block[i])) << (8 * (i + 1));
  }
  MaybeMistake mistake = add(tz_arg_make(TZ_TYPE_DESCRIPTOR, d.rank, facts));
  if (!mistake) {
    mistake = add(tz_pointer(d.data, d.element));
  }
  for (uint32_t i = 0; i < d.rank && !mistake; ++i) {
    mistake = add(tz_i32(int32_t(d.shape[i])));
  }
  for (uint32_t i = 0; i < d.rank && !mistake; ++i) {
    tz_arg stride = tz_i64(d.strides[i]);
    mistake = add(i + 1 == d.rank ? tz_constexpr(stride) : stride);
  }
  return mistake;
}

SlotBuffer::MaybeMistake SlotBuffer::addTuple(const tz_tuple *given) {
  tz_tuple t;
  if (!readStruct(given, t)) {
    return Mistake{{},
                   given ? "struct_size of a tz_tuple is not set"
                         : "the address of a tz_tuple is NULL"};
  }
  if (t.num_items > MaxLaunchArgs || (t.num_items && !t.items)) {
    return Mistake{{},
                   t.items
                       ? "a tuple of " + std::to_string(t.num_items) +
                             " items, at most " + std::to_string(MaxLaunchArgs)
                       : "the items of a tuple are NULL"};
  }
  MaybeMistake mistake = add(tz_arg_make(
      TZ_TYPE_TUPLE, uint32_t(t.num_items) * 2 + (t.names != nullptr), 0));
  for (size_t i = 0; i < t.num_items && !mistake; ++i) {
    if (t.names && !t.names[i]) {
      return Mistake{"." + std::to_string(i), "its name is NULL"};
    }
    mistake = t.names ? add(tz_string(t.names[i])) : std::nullopt;
    if (!mistake) {
      mistake = addArgument(t.items[i]);
    }
    if (mistake && mistake->code == TZ_E_INVALID_ARGUMENT) {
      mistake->part.insert(
          0, "." + (t.names ? std::string(t.names[i]) : std::to_string(i)));
    }
  }
  return mistake;
}

SlotBuffer::MaybeMistake SlotBuffer::addArgument(const tz_arg &arg) {
  if (arg.type == TZ_TYPE_DESCRIPTOR) {
    return addDescriptor(reinterpret_cast<const tz_descriptor *>(arg.bits));
  }
  if (arg.type == TZ_TYPE_TUPLE) {
    return addTuple(reinterpret_cast<const tz_tuple *>(arg.bits));
  }
  return add(arg);
}

Status SlotBuffer::spread(std::span<const tz_arg> args,
                          std::span<const std::string> names,
                          std::string_view kernel, Slots &to) {
  bool isPlain = true;
  for (const tz_arg &arg : args) {
    isPlain &= arg.type < TZ_TYPE_DESCRIPTOR;
  }
  if (isPlain) [[likely]] {
    to = {args, nullptr};
    return Status();
  }
  for (size_t i = 0; i < args.size(); ++i) {
    owner = uint16_t(i);
    if (MaybeMistake mistake = addArgument(args[i])) {
      return Status(mistake->code, "argument '" + names[i] + mistake->part +
                                       "' of kernel '" + std::string(kernel) +
                                       "': " + mistake->text);
    }
  }
  to = {{values.data(), count}, owners.data()};
  return Status();
}

namespace {
/// Reads the slots of one parameter.
class Describer {
public:
  Describer(const KernelParameter &parameter, std::string_view kernel,
            const Slots &slots, size_t &at)
      : parameter(parameter), kernel(kernel), slots(slots), at(at) {}

  Result<ArgumentSpec> read();

private:
  Status wrong(std::string text) const {
    return Status(TZ_E_INVALID_ARGUMENT, std::move(text));
  }
  Status notConstant(const char *what) const {
    return wrong("parameter '" + parameter.name + "' of kernel '" +
                 std::string(kernel) + "' is constexpr and cannot be a " +
                 what);
  }
  Result<ArgumentSpec> readTuple(const tz_arg &mark);
  Result<ArgumentSpec> readDescriptor(const tz_arg &mark);
  Result<ArgumentSpec> readPlain(const tz_arg &arg) const;
  Result<ArgumentSpec> readConstant(const tz_arg &arg) const;

  const KernelParameter &parameter;
  std::string_view kernel;
  const Slots &slots;
  size_t &at;
};
} // namespace

Result<ArgumentSpec> Describer::read() {
  const tz_arg &arg = slots[at++];
  return arg.type == TZ_TYPE_TUPLE        ? readTuple(arg)
         : arg.type == TZ_TYPE_DESCRIPTOR ? readDescriptor(arg)
                                          : readPlain(arg);
}

Result<ArgumentSpec> Describer::readTuple(const tz_arg &mark) {
  ArgumentSpec spec;
  spec.kind = ArgumentSpec::Tuple;
  for (uint32_t i = 0; i < mark.element / 2; ++i) {
    if (mark.element & 1) {
      spec.fields.emplace_back(textOf(slots[at++]));
    }
    Result<ArgumentSpec> item = read();
    if (!item) {
      return item;
    }
    spec.items.push_back(std::move(*item));
  }
  return spec;
}

Result<ArgumentSpec> Describer::readDescriptor(const tz_arg &mark) {
  if (parameter.isConstexpr) {
    return notConstant("tensor descriptor");
  }
  ArgumentSpec spec;
  spec.kind = ArgumentSpec::Descriptor;
  spec.padsWithNaN = (mark.bits & 255) == TZ_PADDING_NAN;
  for (uint32_t i = 0; i < mark.element; ++i) {
    spec.block.push_back(uint32_t(1) << (mark.bits >> (8 * (i + 1)) & 255));
  }
  for (uint32_t i = 0; i < 1 + 2 * mark.element; ++i) {
    Result<ArgumentSpec> part = readPlain(slots[at++]);
    if (!part) {
      return part;
    }
    spec.items.push_back(std::move(*part));
  }
  return spec;
}

Result<ArgumentSpec> Describer::readPlain(const tz_arg &arg) const {
  if (arg.type == TZ_TYPE_NONE || parameter.isConstexpr || isConstexpr(arg)) {
    return readConstant(arg);
  }
  if (!typeSize(arg.type)) {
    return wrong("argument '" + parameter.name + "' of kernel '" +
                 std::string(kernel) + "' has unknown type " +
                 std::to_string(arg.type));
  }
  if (arg.type == TZ_TYPE_PTR && !elementSize(arg.element)) {
    return wrong("pointer argument '" + parameter.name + "' of kernel '" +
                 std::string(kernel) +
                 "' does not say what it points to (element type)");
  }
  ArgumentSpec spec;
  spec.kind = ArgumentSpec::Runtime;
  spec.type = arg.type;
  spec.element = arg.type == TZ_TYPE_PTR ? arg.element : 0;
  return spec;
}

Result<ArgumentSpec> Describer::readConstant(const tz_arg &arg) const {
  ArgumentSpec spec;
  spec.kind = ArgumentSpec::Constant;
  KeyValue &constant = spec.constant;
  constant.key = parameter.name;
  uint64_t bits = normalized(arg);
  if (arg.type == TZ_TYPE_NONE) {
    spec = ArgumentSpec();
    spec.kind = ArgumentSpec::None;
  } else if (arg.type == TZ_TYPE_STRING) {
    constant.kind = TZ_KV_STR;
    constant.str = textOf(arg);
    if (arg.element == TZ_CONSTEXPR) { // the compiler takes quotes off
      constant.str = '"' + constant.str + '"';
    } else if (arg.element == TZ_EXPRESSION) {
      constant.str.insert(0, "=");
    }
  } else if (arg.type == TZ_TYPE_F32) {
    constant.kind = TZ_KV_F64;
    constant.f64 = std::bit_cast<float>(uint32_t(bits));
  } else if (arg.type == TZ_TYPE_F64) {
    constant.kind = TZ_KV_F64;
    constant.f64 = std::bit_cast<double>(bits);
  } else if (arg.type == TZ_TYPE_I1 || isInteger(arg.type)) {
    constant.kind = arg.type == TZ_TYPE_I1 ? TZ_KV_BOOL : TZ_KV_I64;
    constant.i64 = int64_t(bits);
  } else if (!typeSize(arg.type)) {
    return wrong("argument '" + parameter.name + "' of kernel '" +
                 std::string(kernel) + "' has unknown type " +
                 std::to_string(arg.type));
  } else {
    return notConstant(typeName(arg.type));
  }
  return spec;
}

Result<ArgumentSpec> describe(const KernelParameter &parameter,
                              std::string_view kernel, const Slots &slots,
                              size_t &at) {
  return Describer(parameter, kernel, slots, at).read();
}

void addLeafSlots(const ArgumentSpec &spec, uint32_t &next,
                  std::vector<uint32_t> &slotOfLeaf) {
  if (spec.isLeaf()) {
    slotOfLeaf.push_back(next++);
    return;
  }
  ++next; // its mark
  for (const ArgumentSpec &item : spec.items) {
    next += !spec.fields.empty();
    addLeafSlots(item, next, slotOfLeaf);
  }
}

} // namespace tz::runtime
