//===- TensorMap.cpp - descriptors of the TMA unit ------------------------===//
//
// What   arg_encode: from a view's values and the artifact's tensor views to
//        the 128 bytes that a kernel's copy instructions read.
// Why    The driver answers every impossible view with "invalid argument"; what
//        does not hold is found and named here.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/TensorMap.h"

#include "backends/nvidia/device/CudaDevice.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace tz::nvidia {

using namespace driver;

namespace {

constexpr uint32_t MaxBox = 256;
constexpr size_t MaxViews = 4096;

/// The driver's codes of what a tensor map can hold. It is no list of element
/// types (ElementTypes.def): eight bits are bytes, and tf32 is a way to read
/// f32.
constexpr struct Element {
  std::string_view name;
  TensorElement code;
  uint32_t bits;
} Elements[] = {
    {"u8", TensorU8, 8},      {"u16", TensorU16, 16},   {"u32", TensorU32, 32},
    {"u64", TensorU64, 64},   {"i32", TensorI32, 32},   {"i64", TensorI64, 64},
    {"f16", TensorF16, 16},   {"f32", TensorF32, 32},   {"f64", TensorF64, 64},
    {"bf16", TensorBF16, 16}, {"tf32", TensorTF32, 32},
};

const Element *findElement(std::string_view name) {
  for (const Element &e : Elements) {
    if (e.name == name) {
      return &e;
    }
  }
  return nullptr;
}

/// 0, least, 2 * least ... most as 0, 1, 2 ...; -1: none of them.
int step(uint32_t value, uint32_t least, uint32_t most) {
  int index = 0;
  if (value == 0) {
    return 0;
  }
  for (uint32_t v = least; v <= most; v *= 2) {
    ++index;
    if (v == value) {
      return index;
    }
  }
  return -1;
}

//===--- Reading ----------------------------------------------------------===//

[[noreturn]] void malformed(size_t line, const std::string &what) {
  throw Failure(TZ_E_DATA_LOSS, "the artifact's tensor views, line " +
                                    std::to_string(line) + ": " + what);
}

std::string_view takeWord(std::string_view &line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  size_t end = std::min(line.find(' '), line.size());
  std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

bool readNumber(std::string_view text, uint32_t &to) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc() && end == text.data() + text.size();
}

bool readKey(std::string_view word, std::string_view key, uint32_t &to) {
  return word.starts_with(key) && readNumber(word.substr(key.size()), to);
}

bool readBox(std::string_view text, std::vector<uint32_t> &box) {
  while (box.size() < TZ_VIEW_MAX_RANK) {
    size_t end = std::min(text.find('x'), text.size());
    uint32_t extent = 0;
    if (!readNumber(text.substr(0, end), extent) || extent < 1 ||
        extent > MaxBox) {
      return false;
    }
    box.push_back(extent);
    if (end == text.size()) {
      return true;
    }
    text.remove_prefix(end + 1);
  }
  return false;
}

TensorView parseLine(std::string_view line, size_t number) {
  TensorView view;
  if (takeWord(line) != "view") {
    malformed(number, "does not begin with 'view'");
  }
  view.kernel = takeWord(line);
  if (view.kernel.empty() || !readNumber(takeWord(line), view.slot)) {
    malformed(number, "needs a kernel and the number of its slot");
  }
  view.element = takeWord(line);
  const Element *element = findElement(view.element);
  if (!element) {
    malformed(number, "'" + view.element + "' is no element type");
  }
  if (!readBox(takeWord(line), view.box)) {
    malformed(number, "a box is 1 to 5 numbers from 1 to 256, such as 128x64");
  }
  if (!readKey(takeWord(line), "swizzle=", view.swizzle) ||
      step(view.swizzle, 32, 128) < 0) {
    malformed(number, "'swizzle=' is 0, 32, 64 or 128");
  }
  if (!readKey(takeWord(line), "l2=", view.l2) || step(view.l2, 64, 256) < 0) {
    malformed(number, "'l2=' is 0, 64, 128 or 256");
  }
  std::string_view fill = takeWord(line);
  if (fill != "fill=zero" && fill != "fill=nan") {
    malformed(number, "'fill=' is zero or nan");
  }
  view.fillNan = fill == "fill=nan";
  if (!takeWord(line).empty()) {
    malformed(number, "has words after 'fill='");
  }
  uint32_t inner = view.box.back() * element->bits / 8;
  if (inner % 16) {
    malformed(number, "the innermost extent of the box has " +
                          std::to_string(inner) +
                          " bytes, which is no multiple of 16");
  }
  if (view.swizzle && inner > view.swizzle) {
    malformed(number, "the innermost extent of the box has " +
                          std::to_string(inner) +
                          " bytes, more than the swizzle spans");
  }
  return view;
}

//===--- Encoding ---------------------------------------------------------===//

/// Throws with kernel, slot and what does not hold.
[[noreturn]] void impossible(const tz_kernel &kernel, uint32_t slot,
                             const std::string &what) {
  throw Failure(TZ_E_INVALID_ARGUMENT,
                "kernel '" + *kernel.name + "', argument slot " +
                    std::to_string(slot) +
                    ": the TMA unit cannot read this view: " + what);
}

/// What cuTensorMapEncodeTiled takes: innermost first, strides in bytes and
/// without that of the innermost dimension.
struct Geometry {
  uint64_t dims[TZ_VIEW_MAX_RANK], strides[TZ_VIEW_MAX_RANK];
  uint32_t box[TZ_VIEW_MAX_RANK], steps[TZ_VIEW_MAX_RANK];
};

Geometry measure(const tz_kernel &kernel, uint32_t slot,
                 const TensorView &layout, const Element &element,
                 const tz_tensor_view &view) {
  auto fail = [&](const std::string &what) { impossible(kernel, slot, what); };
  if (view.rank != layout.box.size()) {
    fail("it has " + std::to_string(view.rank) +
         " dimensions, the code was compiled for " +
         std::to_string(layout.box.size()));
  }
  if (view.element_bits != element.bits) {
    fail("its elements have " + std::to_string(view.element_bits) +
         " bits, those of " + layout.element + " " +
         std::to_string(element.bits));
  }
  if (view.base % 16) {
    fail("its address is no multiple of 16 bytes");
  }
  Geometry g{};
  for (uint32_t i = 0; i < view.rank; ++i) {
    uint32_t outer = view.rank - 1 - i;
    std::string dimension = "dimension " + std::to_string(outer);
    int64_t extent = view.shape[outer], stride = view.strides[outer];
    if (extent < 1 || extent > (int64_t(1) << 32)) {
      fail(dimension + " has " + std::to_string(extent) +
           " elements; it needs 1 to 2^32");
    }
    g.dims[i] = uint64_t(extent);
    g.box[i] = layout.box[outer];
    g.steps[i] = 1;
    if (i == 0) {
      if (stride != 1 && extent != 1) {
        fail("its innermost stride is " + std::to_string(stride) +
             " elements; it must be 1");
      }
      continue;
    }
    int64_t bytes = 0;
    if (extent == 1) {
      // Never used to form an address; any that is legal will do.
      bytes = 16;
    } else if (__builtin_mul_overflow(stride, int64_t(element.bits / 8),
                                      &bytes) ||
               bytes < 16 || bytes % 16 || bytes >= (int64_t(1) << 40)) {
      fail(dimension + " has a stride of " + std::to_string(stride) +
           " elements of " + std::to_string(element.bits / 8) +
           " bytes; it must be a multiple of 16 bytes, from 16 to below 2^40");
    }
    g.strides[i - 1] = uint64_t(bytes);
  }
  return g;
}

} // namespace

std::vector<TensorView> parseTensorViews(std::string_view text) {
  std::vector<TensorView> views;
  for (size_t number = 1; !text.empty(); ++number) {
    size_t end = std::min(text.find('\n'), text.size());
    if (end) {
      if (views.size() == MaxViews) {
        malformed(number, "more views than any kernel has");
      }
      views.push_back(parseLine(text.substr(0, end), number));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return views;
}

bool EncodedViews::Entry::isOf(uint32_t slot,
                               const tz_tensor_view &view) const {
  return this->slot == slot && base == view.base && rank == view.rank &&
         elementBits == view.element_bits &&
         std::equal(view.shape, view.shape + rank, shape.begin()) &&
         std::equal(view.strides, view.strides + rank, strides.begin());
}

bool EncodedViews::find(uint32_t slot, const tz_tensor_view &view,
                        TensorMap &map) const {
  std::lock_guard lock(mutex);
  for (const Entry &entry : entries) {
    if (entry.isOf(slot, view)) {
      map = entry.map;
      return true;
    }
  }
  return false;
}

void EncodedViews::keep(uint32_t slot, const tz_tensor_view &view,
                        const TensorMap &map) {
  Entry entry{slot, view.rank, view.element_bits, view.base, {}, {}, map};
  std::copy_n(view.shape, view.rank, entry.shape.begin());
  std::copy_n(view.strides, view.rank, entry.strides.begin());
  std::lock_guard lock(mutex);
  if (entries.size() < Entries) {
    entries.push_back(entry);
    return;
  }
  entries[oldest] = entry;
  oldest = (oldest + 1) % Entries;
}

void encode(tz_kernel &kernel, uint32_t slot, const tz_tensor_view &view,
            void *to, size_t bytes) {
  auto found = kernel.views.find(slot);
  if (found == kernel.views.end()) {
    throw Failure(TZ_E_NOT_FOUND, "kernel '" + *kernel.name +
                                      "': the artifact does not say how "
                                      "argument slot " +
                                      std::to_string(slot) +
                                      " is laid out (blob \"views\")");
  }
  if (bytes != sizeof(TensorMap)) {
    impossible(kernel, slot,
               "the slot has " + std::to_string(bytes) +
                   " bytes, a descriptor has " +
                   std::to_string(sizeof(TensorMap)));
  }
  tz_device &device = kernel.module.device;
  device.mustWork();
  TensorMap map{};
  if (kernel.encoded.find(slot, view, map)) {
    std::memcpy(to, &map, sizeof(map));
    return;
  }
  const TensorView &layout = found->second;
  const Element &element = *findElement(layout.element);
  Geometry g = measure(kernel, slot, layout, element, view);
  ContextScope scope(device);
  Result result = device.driver.tensorMapEncodeTiled(
      &map, element.code, view.rank, reinterpret_cast<void *>(view.base),
      g.dims, g.strides, g.box, g.steps, 0,
      TensorSwizzle(step(layout.swizzle, 32, 128)),
      TensorPromotion(step(layout.l2, 64, 256)),
      layout.fillNan ? FillNan : FillZero);
  device.check(result, [&] {
    return "encode argument slot " + std::to_string(slot) + " of kernel '" +
           *kernel.name + "'";
  });
  kernel.encoded.keep(slot, view, map);
  std::memcpy(to, &map, sizeof(map));
}

} // namespace tz::nvidia
