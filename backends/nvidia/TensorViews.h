//===- TensorViews.h - what the two halves agree on about tensor maps -----===//
//
// What   How the device half is told to make the descriptor of a
//        TZ_ARG_TENSOR_VIEW slot: element type, box, swizzle. The compiler half
//        puts one blob into its artifact, name "views", format "tensor-views",
//        which is text with one line for each such slot:
//
//          view <kernel> <slot> <element> <box> swizzle=<n> l2=<n> fill=<f>
//          view matmul 2 f16 128x64 swizzle=128 l2=256 fill=zero
//
// Why    Base, sizes and strides of a view are values of a launch and come from
//        the launch plan; how its tiles lie in shared memory is fixed when the
//        kernel is compiled, and is the vendor's own business.
//
// slot     index in tz_kernel_info.args of the kernel of that name; the slot
//          has 128 bytes, aligned to 128, and is the kernel's
//          `.param .align 128`.
// element  u8 u16 u32 u64 i32 i64 f16 bf16 f32 tf32 f64; 8-bit floats are u8.
//          Its width is the element_bits of the view.
// box      what one copy instruction moves: elements in each dimension,
//          outermost first as in tz_view_info, each 1 to 256. The innermost has
//          a multiple of 16 bytes, and with a swizzle at most its span.
// swizzle  0, 32, 64 or 128 bytes; l2: 0, 64, 128 or 256 bytes fetched at once.
// fill     zero or nan: what is read outside the view.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_TENSORVIEWS_H
#define TERRAZZO_BACKENDS_NVIDIA_TENSORVIEWS_H

#include <cstdint>
#include <string>
#include <vector>

namespace tz::nvidia {

inline constexpr const char *TensorViewsBlob = "views";
inline constexpr const char *TensorViewsFormat = "tensor-views";

struct TensorView {
  std::string kernel;
  uint32_t slot = 0;
  std::string element;
  std::vector<uint32_t> box;
  uint32_t swizzle = 0, l2 = 0;
  bool fillNan = false;

  bool operator==(const TensorView &) const = default;
};

/// The blob's text.
inline std::string printTensorViews(const std::vector<TensorView> &views) {
  std::string text;
  for (const TensorView &view : views) {
    text += "view " + view.kernel + " " + std::to_string(view.slot) + " " +
            view.element + " ";
    for (size_t i = 0; i < view.box.size(); ++i) {
      text += (i ? "x" : "") + std::to_string(view.box[i]);
    }
    text += " swizzle=" + std::to_string(view.swizzle) +
            " l2=" + std::to_string(view.l2) +
            (view.fillNan ? " fill=nan\n" : " fill=zero\n");
  }
  return text;
}

} // namespace tz::nvidia

#endif
