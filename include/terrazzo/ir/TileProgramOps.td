//===- TileProgramOps.td - kernel, ids, hints, print, assert -*- tablegen -*-===//
#ifndef TERRAZZO_IR_TILEPROGRAMOPS_TD
#define TERRAZZO_IR_TILEPROGRAMOPS_TD

include "terrazzo/ir/TileBase.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"

def Tile_KernelOp : Tile_Op<"kernel", 1, [
    IsolatedFromAbove, Symbol, FunctionOpInterface, AutomaticAllocationScope]> {
  let summary = "one tile program, run once per point of the grid";
  let description = [{
    Arguments are scalars and pointers. Attributes of an argument:
      `tile.name` (string)         name in the source
      `tile.divisibility` (i64)    the value (address, integer) is a multiple of it
      `tile.group` (i64)           R6 group of accesses through this pointer
      `tile.const` (unit)          the pointer is only read
    Attributes of the kernel: `tile.num_warps`, `tile.num_stages` (hints, i32),
    `tile.waits` (unit; R6 O4), `tile.contract` (bool: a*b+c may be fused).
      C1  one block, ended by tile.return
      C2  arguments are integers, floats or !tile.ptr; there are no results
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
                                 CArg<"::llvm::ArrayRef<::mlir::DictionaryAttr>", "{}">:$argAttrs)>];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// Name of argument `i` in the source, or "argI".
    std::string getArgName(unsigned i);
  }];
}

def Tile_ReturnOp : Tile_Op<"return", 1, [Pure, HasParent<"KernelOp">, Terminator]> {
  let summary = "ends the program";
  let assemblyFormat = "attr-dict";
}

def Tile_ProgramIdOp : Tile_PureOp<"program_id", 1> {
  let summary = "coordinate of this program on one axis of the grid";
  let description = "C1  axis is 0, 1 or 2";
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
  let hasVerifier = 1;
}

def Tile_NumProgramsOp : Tile_PureOp<"num_programs", 1> {
  let summary = "size of the grid on one axis";
  let description = "C1  axis is 0, 1 or 2";
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
  let hasVerifier = 1;
}

def Tile_AssumeOp : Tile_Op<"assume", 1, [MemoryEffects<[MemWrite]>]> {
  let summary = "the author promises that the condition holds";
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

def Tile_HintOp : Tile_PureOp<"hint", 1, [AllTypesMatch<["source", "result"]>]> {
  let summary = "the author promises divisibility, contiguity or constancy";
  let description = [{
    One number per dimension (one for a scalar): values are multiples of
    `divisibility` at every contiguous run's start; runs of `contiguity`
    consecutive values; runs of `constancy` equal values.
      C1  each list present has max(1, rank) positive numbers
  }];
  let arguments = (ins Tile_AnyLike:$source,
                       OptionalAttr<DenseI64ArrayAttr>:$divisibility,
                       OptionalAttr<DenseI64ArrayAttr>:$contiguity,
                       OptionalAttr<DenseI64ArrayAttr>:$constancy);
  let results = (outs Tile_AnyLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier", 1, [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "orders all memory accesses of this program before and after it";
  let assemblyFormat = "attr-dict";
}

def Tile_PrintOp : Tile_Op<"print", 1, [MemoryEffects<[MemWrite]>]> {
  let summary = "appends values to the log of the launch";
  let arguments = (ins StrAttr:$prefix, UnitAttr:$hex, DenseBoolArrayAttr:$isSigned,
                       Variadic<Tile_AnyLike>:$args, UnitAttr:$report);
  let description = [{
    With `report` it is the finding of a sanitizer, which the host turns into an
    error (TZ_LOG_REPORT); the prefix and the values are in the form of plugin.h.
      C1  isSigned has one entry per argument
  }];
  let assemblyFormat = "$prefix (`(` $args^ `:` type($args) `)`)? attr-dict";
  let hasVerifier = 1;
}

def Tile_AssertOp : Tile_Op<"assert", 1, [MemoryEffects<[MemWrite]>]> {
  let summary = "ends the program with an error if a lane of the condition is false";
  let arguments = (ins Tile_BoolLike:$condition, StrAttr:$message, Optional<Tile_BoolLike>:$mask);
  let description = "C1  mask has the condition's type";
  let assemblyFormat = "$condition (`mask` $mask^)? `,` $message attr-dict `:` type($condition) (`,` type($mask)^)?";
  let hasVerifier = 1;
}

def Tile_RecordOp : Tile_Op<"record", 1, [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "notes the clock where a part of the program begins or ends";
  let arguments = (ins StrAttr:$part, UnitAttr:$end, Variadic<Tile_AnyLike>:$done);
  let description = [{
    It orders memory accesses as tile.barrier does. Values in `done` are computed
    before the clock is read, so that a part has the work of what it makes. What
    is noted belongs to the launch and changes nothing that the program computes.
      C1  the part has a name
      C2  a beginning has no values
  }];
  let assemblyFormat = "$part (`end` $end^)? (`(` $done^ `:` type($done) `)`)? attr-dict";
  let hasVerifier = 1;
}

#endif // TERRAZZO_IR_TILEPROGRAMOPS_TD
