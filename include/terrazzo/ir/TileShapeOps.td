//===- TileShapeOps.td - making and rearranging tiles -------*- tablegen -*-===//
#ifndef TERRAZZO_IR_TILESHAPEOPS_TD
#define TERRAZZO_IR_TILESHAPEOPS_TD

include "terrazzo/ir/TileBase.td"

def Tile_RangeOp : Tile_PureOp<"range", 1> {
  let summary = "start, start+1, ... end-1";
  let description = [{
      C1  the result is a 1-D tile of i32 with end - start elements, end > start
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs StaticShapeTensorOf<[I32]>:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_PureOp<"splat", 1> {
  let summary = "a tile whose elements are all the scalar";
  let description = "C1  the result's element type is the source's type";
  let arguments = (ins Tile_Elem:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_BroadcastOp : Tile_PureOp<"broadcast", 1> {
  let summary = "repeats dimensions of size one";
  let description = [{
      C1  ranks and element types of source and result are equal
      C2  each dimension is equal, or 1 in the source
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReshapeOp : Tile_PureOp<"reshape", 1> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    Also inserts and removes dimensions of size one.
      C1  element types and numbers of elements of source and result are equal
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_TransposeOp : Tile_PureOp<"transpose", 1> {
  let summary = "permutes dimensions: result dimension i is source dimension order[i]";
  let description = [{
      C1  order is a permutation of the dimensions
      C2  the result has the permuted shape and the source's element type
  }];
  let arguments = (ins Tile_Tile:$source, DenseI64ArrayAttr:$order);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source $order attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_JoinOp : Tile_PureOp<"join", 1, [AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "two tiles or scalars as a new last dimension of size 2";
  let description = "C1  the result's shape is the operands' shape and 2";
  let arguments = (ins Tile_AnyLike:$lhs, Tile_AnyLike:$rhs);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SplitOp : Tile_PureOp<"split", 1, [AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "the two halves of a last dimension of size 2";
  let description = "C1  the source's shape is the results' shape and 2";
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_AnyLike:$lhs, Tile_AnyLike:$rhs);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($lhs)";
  let hasVerifier = 1;
}

def Tile_CatOp : Tile_PureOp<"cat", 1> {
  let summary = "two tiles one after the other along a dimension, order kept";
  let description = [{
      C1  shapes agree but in dimension `dim`, where the result has the sum
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs, I32Attr:$dim);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$lhs `,` $rhs `dim` $dim attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_PureOp<"gather", 1> {
  let summary = "picks elements along one dimension by index";
  let description = [{
    result[.., j, ..] = source[.., indices[.., j, ..], ..]. An index outside the
    dimension gives zero.
      C1  indices and result have one shape; result and source one element type
      C2  other dimensions of indices equal the source's; axis is in range
  }];
  let arguments = (ins Tile_Tile:$source, StaticShapeTensorOf<[I8, I16, I32, I64]>:$indices, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `[` $indices `]` `axis` $axis attr-dict `:` type($source) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TERRAZZO_IR_TILESHAPEOPS_TD
