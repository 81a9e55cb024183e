//===- SimtOps.td - where data moves between threads --------*- tablegen -*-===//
#ifndef TERRAZZO_SIMT_SIMTOPS_TD
#define TERRAZZO_SIMT_SIMTOPS_TD

include "terrazzo/simt/SimtBase.td"
include "terrazzo/simt/SimtAsync.td"

def Simt_LogicalGridOp : Simt_Op<"logical_grid", [Pure]> {
  let summary = "programs on one axis of the grid that was asked for";
  let description = [{
    In a kernel whose blocks run several programs each, tile.program_id and
    tile.num_programs are those of the blocks.
      C1  axis is 0, 1 or 2
  }];
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
  let hasVerifier = 1;
}

def Simt_ConvertOp : Simt_Op<"convert", [Pure]> {
  let summary = "the same tile in another layout";
  let description = [{
      C1  source and result differ in nothing but the layout, and both have one
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Simt_StageOp : Simt_Op<"stage", [Pure]> {
  let summary = "a tile put into shared memory";
  let description = [{
    The buffer lives until its last use; all threads see it whole.
      C1  the buffer has the tile's shape and element type
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Simt_BufferType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_PermuteOp : Simt_Op<"permute", [Pure]> {
  let summary = "a buffer seen with its dimensions in another order";
  let description = [{
    The same memory: dimension i of the result is dimension `order[i]` of the
    source, as in tile.transpose.
      C1  the result is the source with its dimensions in this order
  }];
  let arguments = (ins Simt_BufferType:$source, DenseI64ArrayAttr:$order);
  let results = (outs Simt_BufferType:$result);
  let assemblyFormat = "$source $order attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_DotOp : Simt_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "tile.dot with operands where the matrix unit reads them";
  let description = [{
    As tile.dot. An operand is a tile in the layout that `instruction` wants, or
    a buffer. Without an instruction threads multiply and add by themselves:
    operands are buffers. With `async` the product is begun; its result is there
    after a dot_wait that covers it.
      C1  a is [B x] M x K, b [B x] K x N, acc [B x] M x N
  }];
  let arguments = (ins AnyTypeOf<[Tile_Tile, Simt_BufferType]>:$a,
                       AnyTypeOf<[Tile_Tile, Simt_BufferType]>:$b, Tile_Tile:$acc,
                       OptionalAttr<StrAttr>:$instruction,
                       DefaultValuedAttr<Tile_PrecisionAttr, "::tz::tile::Precision::ieee">:$precision,
                       DefaultValuedAttr<I64Attr, "0">:$maxImprecise,
                       UnitAttr:$async);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TERRAZZO_SIMT_SIMTOPS_TD
