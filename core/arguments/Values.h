//===- Values.h - what --arg says -----------------------------------------===//
//
// What   The text of one argument as a description: buffer with an initialiser,
//        scalar, array of addresses, None, or a type alone.
// Why    tz run makes values of it and tz compile types, from one grammar.
//
//   x=randn:f32[4096,4096]     buffer: initialiser, element type, sizes
//   x=full(0.5):f16[n]         zeros ones empty arange randn uniform full(v)
//   x=randint(0,64):i32[n]     randint(low,high), also randint:i32[n]:low:high
//   x=sparse(16):f32[n]        1 or -1 at random, one of 16, between zeros
//   x=edges:f32[n]             zeros, limits, NaN, denormals, then random bits;
//   y=edges(1):f32[n]          a second operand: all pairs of edges
//   x=values:i32[70,45,33]     the elements themselves
//   x=file(in.bin):f32[n]      raw little-endian elements
//   n=i32:cdiv(m,4)  n=1234    scalar; without a type i32, i64 or fp32
//   p=ptrs:a0,a1               int64 array of addresses of other buffers
//   b=None   c=constexpr:3     constants
//   d=desc:randn:f16[512,256]:block[64,64]
//                              tensor descriptor over a buffer, or over another
//                              one by its name (desc:x:block[8,8]); also
//                              :nan :shape[..] :strides[..] :offset[..]
//   t=(randn:f32[n], 3)        tuple; t=(x=randn:f32[n], n=3) with names
//   x=*fp16:16  x=*fp16  n=i32 tz compile: types; ":16" = divisible by 16
//   d=tensordesc<fp16[64, 64], nan>:16
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_ARGUMENTS_VALUES_H
#define TERRAZZO_CORE_ARGUMENTS_VALUES_H

#include "core/arguments/Expression.h"

namespace tz::tool {

struct ArgumentText {
  enum Kind {
    Buffer,
    Scalar,
    Addresses,
    None,
    Constant,
    Type,
    Tuple,
    Descriptor,
    DescriptorType,
  };
  Kind kind = Scalar;
  std::string name;  // "t.scale": of an item of the tuple t
  std::string whole; // as written, for messages
  /// Of an element or a scalar; 0: from the value.
  uint32_t type = 0;
  std::string initializer;          // Buffer
  std::vector<std::string> details; // values of the initialiser
  std::vector<std::string> sizes;   // Buffer: expressions
  std::string value;                // Scalar, Constant
  std::vector<std::string> targets; // Addresses; Descriptor: the other buffer
  bool isPointer = false;           // Type
  bool isDivisible = false;         // Type: by 16; DescriptorType: by 16 bytes
  std::vector<ArgumentText> items;  // Tuple; Descriptor: its own buffer
  std::vector<std::string> fields;  // Tuple: empty if it has no names
  // Descriptor: expressions, empty: those of the buffer
  std::vector<std::string> block, shape, strides, offset;
  bool padsWithNaN = false;
};

runtime::Result<ArgumentText> parseArgument(std::string_view text);
/// What stands behind "NAME=".
runtime::Result<ArgumentText> parseValue(std::string_view name,
                                         std::string_view text);
/// "(1, 2)", "(1,)" or "()"; not "(1 + 2)".
bool isTuple(std::string_view text);

/// "NAME=VALUE", for --constexpr and --option.
runtime::Result<std::pair<std::string, std::string>>
parseAssignment(std::string_view text, std::string_view option);

/// A constexpr's text as the compiler wants it: integers are evaluated, True,
/// False, None, floats, strings in quotes, names.
struct Constant {
  enum Kind { Integer, Float, Boolean, Text, None } kind = Integer;
  int64_t integer = 0;
  double number = 0;
  std::string text;
};
runtime::Result<Constant> parseConstant(std::string_view text,
                                        const NameLookup &lookup);

/// Bits of a scalar of that type; the text is an expression or a float.
runtime::Result<uint64_t> scalarBits(uint32_t type, std::string_view text,
                                     const NameLookup &lookup);

/// Nothing if the text is no number of that form.
std::optional<double> parseFloat(std::string_view text);

} // namespace tz::tool

#endif
