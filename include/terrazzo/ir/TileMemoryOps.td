//===- TileMemoryOps.td - pointers, views, atomics ----------*- tablegen -*-===//
//
// `group` is the R6 group of the access: accesses of two different non-zero
// groups never overlap and may be reordered; group 0 is ordered with all.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_IR_TILEMEMORYOPS_TD
#define TERRAZZO_IR_TILEMEMORYOPS_TD

include "terrazzo/ir/TileBase.td"

defvar Tile_Group = DefaultValuedAttr<I64Attr, "0">;
defvar Tile_Cache = DefaultValuedAttr<Tile_CacheHintAttr, "::tz::tile::CacheHint::none">;
defvar Tile_Evict = DefaultValuedAttr<Tile_EvictionAttr, "::tz::tile::Eviction::normal">;

def Tile_AddPtrOp : Tile_PureOp<"addptr", 1, [AllTypesMatch<["pointer", "result"]>, Elementwise]> {
  let summary = "moves pointers by a number of elements";
  let description = [{
    P26: the offset's arithmetic does not overflow.
      C1  pointer and offset have one shape
  }];
  let arguments = (ins Tile_PtrLike:$pointer, Tile_Like<AnyTypeOf<[I32, I64]>, "offset">:$offset);
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$pointer `,` $offset attr-dict `:` type($pointer) `,` type($offset)";
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load", 1, [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, AttrSizedOperandSegments]> {
  let summary = "loads through pointers; lanes that are masked off give `other`, or zero";
  let description = [{
    A volatile load counts as a write too: it is neither merged, moved nor dropped.
      C1  result has the pointers' shape and pointee type
      C2  mask has the pointers' shape and elements i1
      C3  other has the result's type and needs a mask
  }];
  let arguments = (ins Tile_PtrLike:$pointer, Optional<Tile_BoolLike>:$mask, Optional<Tile_AnyLike>:$other,
                       Tile_Group:$group, Tile_Cache:$cache, Tile_Evict:$evict, UnitAttr:$isVolatile);
  let results = (outs Tile_AnyLike:$result);
  let assemblyFormat = [{
    $pointer (`mask` $mask^)? (`other` $other^)? attr-dict
    `:` type($pointer) (`mask` type($mask)^)? (`other` type($other)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", 1, [MemoryEffects<[MemWrite]>]> {
  let summary = "stores through pointers where the mask is set";
  let description = [{
      C1  value has the pointers' shape and pointee type
      C2  mask has the pointers' shape and elements i1
  }];
  let arguments = (ins Tile_PtrLike:$pointer, Tile_AnyLike:$value, Optional<Tile_BoolLike>:$mask,
                       Tile_Group:$group, Tile_Cache:$cache, Tile_Evict:$evict);
  let assemblyFormat = "$pointer `,` $value (`mask` $mask^)? attr-dict `:` type($pointer) `,` type($value) (`,` type($mask)^)?";
  let hasVerifier = 1;
}

def Tile_MakeViewOp : Tile_PureOp<"make_view", 1, [AttrSizedOperandSegments]> {
  let summary = "a view at position zero";
  let description = [{
    Shape and strides in elements; strides may be zero or negative.
      C1  one shape and one stride per dimension of the view
      C2  base points to the view's element type
  }];
  let arguments = (ins Tile_PtrType:$base, Variadic<I64>:$shape, Variadic<I64>:$strides);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = "$base `shape` `[` $shape `]` `strides` `[` $strides `]` attr-dict `:` type($base) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_AdvanceViewOp : Tile_PureOp<"advance_view", 1, [AllTypesMatch<["view", "result"]>]> {
  let summary = "the same view at a position moved by the offsets (elements, per dimension)";
  let description = "C1  one offset per dimension";
  let arguments = (ins Tile_ViewType:$view, Variadic<I64>:$offsets);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = "$view `[` $offsets `]` attr-dict `:` type($view)";
  let hasVerifier = 1;
}

def Tile_ViewPartsOp : Tile_PureOp<"view_parts", 1, [SameVariadicResultSize]> {
  let summary = "the run-time parts of a view";
  let description = [{
    For accesses that are no blocks, such as rows at given coordinates.
      C1  one size, stride and position per dimension
      C2  base points to the view's element type
  }];
  let arguments = (ins Tile_ViewType:$view);
  let results = (outs Tile_PtrType:$base, Variadic<I64>:$shape, Variadic<I64>:$strides, Variadic<I64>:$position);
  let assemblyFormat = "$view attr-dict `:` type($view) `->` type(results)";
  let hasVerifier = 1;
}

def Tile_LoadViewOp : Tile_Op<"load_view", 1, [MemoryEffects<[MemRead]>, AttrSizedOperandSegments]> {
  let summary = "loads the block at the view's position plus the offsets";
  let description = [{
    In a dimension with `checked`, elements at a coordinate below 0 or not below
    the view's shape give `other` (default zero) and are not accessed; in the
    others the producer promises that the block is inside.
      C1  one offset and one `checked` entry per dimension
      C2  the result is the view's tile type
      C3  other is a scalar of the element type
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<I64>:$offsets, Optional<Tile_Elem>:$other,
                       DenseBoolArrayAttr:$checked, Tile_Group:$group, Tile_Cache:$cache, Tile_Evict:$evict);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`other` $other^)? `checked` $checked attr-dict
    `:` type($view) (`,` type($other)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreViewOp : Tile_Op<"store_view", 1, [MemoryEffects<[MemWrite]>]> {
  let summary = "stores the block at the view's position plus the offsets";
  let description = [{
    In a dimension with `checked`, elements outside the view are not written.
      C1  one offset and one `checked` entry per dimension
      C2  the value has the view's tile type
  }];
  let arguments = (ins Tile_ViewType:$view, Tile_Tile:$value, Variadic<I64>:$offsets,
                       DenseBoolArrayAttr:$checked, Tile_Group:$group, Tile_Cache:$cache, Tile_Evict:$evict);
  let assemblyFormat = "$view `[` $offsets `]` `,` $value `checked` $checked attr-dict `:` type($view) `,` type($value)";
  let hasVerifier = 1;
}

def Tile_AtomicRMWOp : Tile_Op<"atomic_rmw", 1, [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "atomic read-modify-write per active lane; gives the old value, 0 where masked off";
  let description = [{
    fadd, fmax, fmin are for floats (P11: a NaN operand of fmax, fmin changes nothing).
      C1  value and result have the pointers' shape and pointee type
      C2  mask has the pointers' shape and elements i1
      C3  the kind fits the element type
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_PtrLike:$pointer, Tile_AnyLike:$value,
                       Optional<Tile_BoolLike>:$mask, Tile_MemSemAttr:$sem, Tile_MemScopeAttr:$scope, Tile_Group:$group);
  let results = (outs Tile_AnyLike:$result);
  let assemblyFormat = "$kind $sem $scope $pointer `,` $value (`mask` $mask^)? attr-dict `:` type($pointer) (`,` type($mask)^)? `->` type($value) `,` type($result)";
  let hasVerifier = 1;
}

def Tile_AtomicCASOp : Tile_Op<"atomic_cas", 1, [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stores `value` where memory equals `compare` (bitwise); gives the old value";
  let description = "C1  compare, value and result have the pointers' shape and pointee type";
  let arguments = (ins Tile_PtrLike:$pointer, Tile_AnyLike:$compare, Tile_AnyLike:$value,
                       Tile_MemSemAttr:$sem, Tile_MemScopeAttr:$scope, Tile_Group:$group);
  let results = (outs Tile_AnyLike:$result);
  let assemblyFormat = "$sem $scope $pointer `,` $compare `,` $value attr-dict `:` type($pointer) `->` type($value) `,` type($compare) `,` type($result)";
  let hasVerifier = 1;
}

#endif // TERRAZZO_IR_TILEMEMORYOPS_TD
