//===- SimtBase.td - the simt dialect and its attributes ----*- tablegen -*-===//
//
// What   The dialect, the layout of a tile over threads, the layout of a tile in
//        shared memory, and the type of a tile that lies there.
// Why    After layouts are assigned a kernel is still tile IR: its types say who
//        holds what, and ops of this dialect are where data moves.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_SIMTBASE_TD
#define TERRAZZO_SIMT_SIMTBASE_TD

include "terrazzo/ir/TileBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

def Simt_Dialect : Dialect {
  let name = "simt";
  let cppNamespace = "::tz::simt";
  let summary = "Tiles spread over the threads of a block";
  let description = [{
    For targets that run many threads in step. The type of every tile has a
    `#simt.layout`; what a thread holds of it are registers. A tile in shared
    memory is a `!simt.buffer`.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tz::tile::TileDialect"];
  let extraClassDeclaration = [{ void registerAttributes(); void registerTypes(); }];
}

def Simt_LayoutAttr : AttrDef<Simt_Dialect, "Layout", [VerifiableTensorEncoding]> {
  let mnemonic = "layout";
  let summary = "which thread holds which element of a tile";
  let description = [{
    `#simt.layout<rank 2, register [[0, 1]], lane [[0, 2], [1, 0]], repeat register 1 x 11>`
    is one. It gives per axis the coordinates that each bit of the index adds
    (xor), lowest bit first. Then come repeats along a dimension (or `copies`),
    innermost first. See terrazzo/simt/Layout.h.
      C1  the layout covers the tile that it stands on
  }];
  let parameters = (ins AttrParameter<"::tz::simt::Layout", "the map", "const ::tz::simt::Layout &">:$value);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::llvm::LogicalResult verifyEncoding(
        ::llvm::ArrayRef<int64_t> shape, ::mlir::Type elementType,
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError) const;
  }];
}

def Simt_SharedAttr : AttrDef<Simt_Dialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "how a tile lies in shared memory";
  let description = [{
    `#simt.shared<order [1, 0], panel 64, swizzle 3 4 3>`: dimensions fastest
    first. The fastest one is cut into panels of so many elements, which lie one
    after the other. Then byte bits [base, base+bits) are xor-ed with the bits
    `shift` above them. `swizzle 3 4 3` is eight rows of 128 bytes in 16-byte
    pieces, `0 4 3` is none. Instead, `padding 16 every 128` leaves 16 bytes free
    behind each 128.
      C1  order is a permutation
      C2  panel is positive and divides the fastest extent
      C3  padding is a multiple of 8 bytes, every a power of two from 16 on, and
          there is no swizzle beside it
  }];
  let parameters = (ins ArrayRefParameter<"unsigned">:$order, "int64_t":$panel,
                        "unsigned":$bits, "unsigned":$base, "unsigned":$shift,
                        DefaultValuedParameter<"int64_t", "0">:$padding,
                        DefaultValuedParameter<"int64_t", "0">:$every);
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<unsigned>":$order, "int64_t":$panel, "unsigned":$bits,
                                   "unsigned":$base, "unsigned":$shift),
                              [{ return $_get($_ctxt, order, panel, bits, base, shift, 0, 0); }]>];
  let assemblyFormat = [{
    `<` `order` `[` $order `]` `,` `panel` $panel `,` `swizzle` $bits $base $shift
    (`,` `padding` $padding^ `every` $every)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Where the byte lies that would lie here without swizzle and padding.
    int64_t place(int64_t offset) const;
    /// Bytes after which the swizzle repeats; 1: there is none.
    int64_t getPeriod() const {
      return getBits() == 0 ? 1 : int64_t{1} << (getBits() + getBase() + getShift());
    }
  }];
}

def Simt_BufferType : TypeDef<Simt_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a tile in shared memory";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::tz::simt::SharedAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Bytes that it takes.
    int64_t getBytes() const;
    /// Byte at which an element begins.
    int64_t getOffset(::llvm::ArrayRef<int64_t> coordinates) const;
    /// Elements of the fastest dimension that lie beside each other, and in one
    /// aligned access, from each multiple of this on: a power of two.
    int64_t getRun() const;
    /// The same memory; dimension i is this one's dimension order[i].
    BufferType permuted(::llvm::ArrayRef<int64_t> order) const;
  }];
}

def Simt_RingType : TypeDef<Simt_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "equal buffers, used in turn";
  let parameters = (ins "int64_t":$count, "::tz::simt::BufferType":$buffer);
  let assemblyFormat = "`<` $count `x` $buffer `>`";
  let genVerifyDecl = 1;
}

def Simt_DescriptorType : TypeDef<Simt_Dialect, "Descriptor"> {
  let mnemonic = "descriptor";
  let summary = "a frame in device memory, as the bulk copy unit reads it";
  let description = [{
    `box`: elements that one copy moves, per dimension of the frame, outermost
    first; the innermost one is a panel of the buffers that are filled.
    `swizzle`: that of the buffers, as its number of bits.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$box, "::mlir::Type":$elementType, "unsigned":$swizzle);
  let assemblyFormat = "`<` `[` $box `]` `,` $elementType `,` `swizzle` $swizzle `>`";
}

def Simt_BarriersType : TypeDef<Simt_Dialect, "Barriers"> {
  let mnemonic = "barriers";
  let summary = "barriers with phases in shared memory";
  let description = [{
    A phase ends when there were `arrivals` arrivals and all bytes that were
    expected in it have come. One arrival: of who begins the copies. More: of the
    warps that read.
  }];
  let parameters = (ins "int64_t":$count, DefaultValuedParameter<"int64_t", "1">:$arrivals);
  let assemblyFormat = "`<` $count (`arrivals` $arrivals^)? `>`";
  let genVerifyDecl = 1;
}

class Simt_Op<string mnemonic, list<Trait> traits = []> : Op<Simt_Dialect, mnemonic, traits>;

#endif // TERRAZZO_SIMT_SIMTBASE_TD
