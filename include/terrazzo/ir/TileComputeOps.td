//===- TileComputeOps.td - arithmetic beyond arith, dot, reduce -*- tablegen -*-===//
//
// Elementwise ops take scalars and tiles alike. Each is total: it has a value,
// or "some value", for every input, and never traps.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_IR_TILECOMPUTEOPS_TD
#define TERRAZZO_IR_TILECOMPUTEOPS_TD

include "terrazzo/ir/TileBase.td"

class Tile_BinaryOp<string mnemonic, Type operand, dag extra = (ins)> :
    Tile_PureOp<mnemonic, 1, [SameOperandsAndResultType, Elementwise]> {
  let arguments = !con((ins operand:$lhs, operand:$rhs), extra);
  let results = (outs operand:$result);
}
class Tile_IntBinaryOp<string mnemonic> : Tile_BinaryOp<mnemonic, Tile_IntLike> {
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

// Integer division, P7: x/0, x%0, MIN/-1 give some value and never trap.
def Tile_DivSIOp : Tile_IntBinaryOp<"divsi"> { let summary = "signed quotient, truncated"; }
def Tile_DivUIOp : Tile_IntBinaryOp<"divui"> { let summary = "unsigned quotient"; }
def Tile_RemSIOp : Tile_IntBinaryOp<"remsi"> { let summary = "signed remainder, sign of the dividend"; }
def Tile_RemUIOp : Tile_IntBinaryOp<"remui"> { let summary = "unsigned remainder"; }
// Shifts, P6: the amount is unsigned; at the width or more the result is 0 (shrsi: the sign).
def Tile_ShlOp : Tile_IntBinaryOp<"shl"> { let summary = "left shift"; }
def Tile_ShrSIOp : Tile_IntBinaryOp<"shrsi"> { let summary = "arithmetic right shift"; }
def Tile_ShrUIOp : Tile_IntBinaryOp<"shrui"> { let summary = "logical right shift"; }
def Tile_MulHiSIOp : Tile_IntBinaryOp<"mulhisi"> { let summary = "high half of the signed product"; }
def Tile_MulHiUIOp : Tile_IntBinaryOp<"mulhiui"> { let summary = "high half of the unsigned product"; }
def Tile_MinSIOp : Tile_IntBinaryOp<"minsi"> { let summary = "signed minimum"; }
def Tile_MinUIOp : Tile_IntBinaryOp<"minui"> { let summary = "unsigned minimum"; }
def Tile_MaxSIOp : Tile_IntBinaryOp<"maxsi"> { let summary = "signed maximum"; }
def Tile_MaxUIOp : Tile_IntBinaryOp<"maxui"> { let summary = "unsigned maximum"; }

def Tile_AbsIOp : Tile_PureOp<"absi", 1, [SameOperandsAndResultType, Elementwise]> {
  let summary = "absolute value of a signed integer; the minimum stays itself";
  let arguments = (ins Tile_IntLike:$source);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
}

def Tile_ClzOp : Tile_PureOp<"clz", 1, [SameOperandsAndResultType, Elementwise]> {
  let summary = "number of zero bits above the highest one; the width of zero";
  let arguments = (ins Tile_IntLike:$source);
  let results = (outs Tile_IntLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
}

def Tile_DivFOp : Tile_BinaryOp<"divf", Tile_FloatLike, (ins Tile_DivModeAttr:$mode)> {
  let summary = "float quotient: approx within 2 ULP, rn correctly rounded";
  let assemblyFormat = "$mode $lhs `,` $rhs attr-dict `:` type($result)";
}
def Tile_RemFOp : Tile_BinaryOp<"remf", Tile_FloatLike> {
  let summary = "C's fmod: exact, sign of the dividend";
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}
def Tile_MinFOp : Tile_BinaryOp<"minf", Tile_FloatLike, (ins UnitAttr:$propagateNan)> {
  let summary = "minimum; a NaN loses to a number, or wins with propagateNan";
  let assemblyFormat = "$lhs `,` $rhs (`propagate_nan` $propagateNan^)? attr-dict `:` type($result)";
}
def Tile_MaxFOp : Tile_BinaryOp<"maxf", Tile_FloatLike, (ins UnitAttr:$propagateNan)> {
  let summary = "maximum; a NaN loses to a number, or wins with propagateNan";
  let assemblyFormat = "$lhs `,` $rhs (`propagate_nan` $propagateNan^)? attr-dict `:` type($result)";
}
def Tile_FmaOp : Tile_PureOp<"fma", 1, [SameOperandsAndResultType, Elementwise]> {
  let summary = "a * b + c with one rounding";
  let arguments = (ins Tile_FloatLike:$a, Tile_FloatLike:$b, Tile_FloatLike:$c);
  let results = (outs Tile_FloatLike:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($result)";
}
def Tile_MathOp : Tile_PureOp<"math", 1, [SameOperandsAndResultType, Elementwise]> {
  let summary = "an elementary function, within the ULP table of the specification";
  let arguments = (ins Tile_MathFnAttr:$fn, Tile_FloatLike:$source);
  let results = (outs Tile_FloatLike:$result);
  let assemblyFormat = "$fn $source attr-dict `:` type($result)";
}
def Tile_PowOp : Tile_BinaryOp<"pow", Tile_FloatLike> {
  let summary = "lhs to the power rhs, C's special cases";
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Conversions. Widening is arith.extf, arith.extsi, arith.extui.
//===----------------------------------------------------------------------===//
class Tile_ConvertOp<string mnemonic, Type from, Type to, dag extra = (ins)> :
    Tile_PureOp<mnemonic, 1, [SameOperandsAndResultShape, Elementwise]> {
  let arguments = !con((ins from:$source), extra);
  let results = (outs to:$result);
}
def Tile_TruncFOp : Tile_ConvertOp<"truncf", Tile_FloatLike, Tile_FloatLike, (ins Tile_RoundingAttr:$rounding)> {
  let summary = "float to a narrower float, or between floats of one width";
  let description = [{
    P16: to 8-bit floats saturates to the largest finite value; NaN stays NaN.
      C1  the result is not wider than the source, and another type
  }];
  let assemblyFormat = "$rounding $source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}
def Tile_SIToFPOp : Tile_ConvertOp<"sitofp", Tile_IntLike, Tile_FloatLike> {
  let summary = "signed integer to float, round to nearest even";
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
}
def Tile_UIToFPOp : Tile_ConvertOp<"uitofp", Tile_IntLike, Tile_FloatLike> {
  let summary = "unsigned integer to float, round to nearest even";
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
}
def Tile_FPToSIOp : Tile_ConvertOp<"fptosi", Tile_FloatLike, Tile_IntLike> {
  let summary = "float to signed integer: truncates, saturates, NaN gives 0 (P15)";
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasFolder = 1;
}
def Tile_FPToUIOp : Tile_ConvertOp<"fptoui", Tile_FloatLike, Tile_IntLike> {
  let summary = "float to unsigned integer: truncates, saturates, NaN gives 0 (P15)";
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasFolder = 1;
}
def Tile_BitcastOp : Tile_ConvertOp<"bitcast", Tile_AnyLike, Tile_AnyLike> {
  let summary = "the same bits under another type of equal width";
  let description = "C1  element widths are equal (pointers: to pointers only)";
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}
def Tile_PtrToIntOp : Tile_ConvertOp<"ptr_to_int", Tile_PtrLike, Tile_IntLike> {
  let summary = "the address as i64";
  let description = "C1  the result's elements are i64";
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}
def Tile_IntToPtrOp : Tile_ConvertOp<"int_to_ptr", Tile_IntLike, Tile_PtrLike> {
  let summary = "an i64 as an address";
  let description = "C1  the source's elements are i64";
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Matrix product, reductions
//===----------------------------------------------------------------------===//
def Tile_DotOp : Tile_PureOp<"dot", 1, [AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a x b";
  let description = [{
    The sum is in the accumulator's type; order of summation is free.
      C1  a is [B x] M x K, b [B x] K x N, acc [B x] M x N
      C2  a and b have one element type, or both are 8-bit floats
      C3  acc is i32 for i8; f64 for f64; f32 for f32 and bf16; f32 or f16 for f16 and 8-bit floats
  }];
  let arguments = (ins Tile_Tile:$a, Tile_Tile:$b, Tile_Tile:$acc,
                       DefaultValuedAttr<Tile_PrecisionAttr, "::tz::tile::Precision::ieee">:$precision,
                       // 8-bit floats: at most so many products may be summed inexactly; 0 = no limit
                       DefaultValuedAttr<I64Attr, "0">:$maxImprecise);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_PureOp<"reduce", 1, [RecursiveMemoryEffects]> {
  let summary = "combines the elements along one dimension";
  let description = [{
    The region takes the scalars of two partial results (all of the first, then
    all of the second) and yields the scalars of the combined one. It has no
    memory effects. Order and grouping are free; the deterministic mode is the
    balanced tree over the index (P17).
      C1  sources have one shape; results have it without `axis` (a scalar if rank 1)
      C2  the region has 2n scalar arguments and yields n scalars of the sources' element types
      C3  axis is a dimension of the sources
  }];
  let arguments = (ins Variadic<Tile_Tile>:$sources, I32Attr:$axis);
  let results = (outs Variadic<Tile_AnyLike>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = "`(` $sources `)` `axis` $axis attr-dict `:` functional-type($sources, $results) $combine";
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_PureOp<"scan", 1, [RecursiveMemoryEffects]> {
  let summary = "inclusive running combination along one dimension";
  let description = [{
      C1  sources have one shape, results the same types
      C2  the region has 2n scalar arguments and yields n scalars of the sources' element types
      C3  axis is a dimension of the sources
  }];
  let arguments = (ins Variadic<Tile_Tile>:$sources, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = "`(` $sources `)` `axis` $axis (`reverse` $reverse^)? attr-dict `:` functional-type($sources, $results) $combine";
  let hasVerifier = 1;
}

def Tile_MapOp : Tile_PureOp<"map", 1, [RecursiveMemoryEffects]> {
  let summary = "computes scalars from the scalars at each position";
  let description = [{
    The region takes one scalar of each source and yields one of each result. It
    has no memory effects; unlike in reduce and scan, loops may stand in it.
      C1  there is a source; sources and results have one shape
      C2  the region has a scalar argument of each source's element type and yields one of each result's
      C3  no tile is made in the region
  }];
  let arguments = (ins Variadic<Tile_Tile>:$sources);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` $sources `)` attr-dict `:` functional-type($sources, $results) $body";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", 1, [Pure, Terminator,
    ParentOneOf<["ReduceOp", "ScanOp", "MapOp"]>]> {
  let summary = "gives the values of a scalar region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Tile_HistogramOp : Tile_PureOp<"histogram", 1> {
  let summary = "counts of the values 0 .. bins-1; others are skipped";
  let description = [{
      C1  source is 1-D of integers, result 1-D of i32
      C2  mask has the source's shape
  }];
  let arguments = (ins StaticShapeTensorOf<[I8, I16, I32, I64]>:$source, Optional<StaticShapeTensorOf<[I1]>>:$mask);
  let results = (outs StaticShapeTensorOf<[I32]>:$result);
  let assemblyFormat = "$source (`mask` $mask^)? attr-dict `:` type($source) (`,` type($mask)^)? `->` type($result)";
  let hasVerifier = 1;
}

#endif // TERRAZZO_IR_TILECOMPUTEOPS_TD
