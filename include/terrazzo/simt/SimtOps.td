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

def Simt_BlockRankOp : Simt_Op<"block_rank", [Pure]> {
  let summary = "which of the blocks that share a program this one is";
  let description = [{
    In a kernel whose blocks form clusters, one for each program (simt-split-k),
    tile.program_id and tile.num_programs are those of the clusters.
      C1  the kernel's programs have several blocks each
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Simt_BlockSumOp : Simt_Op<"block_sum", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["source", "result"]>]> {
  let summary = "the sum of a tile over the blocks that share a program";
  let description = [{
    In the first of them; the others have no use for their results. Blocks are
    added in pairs, always in the same order: (0 + 1) + (2 + 3). All threads of all
    these blocks wait for each other: they take the same branches.
      C1  the kernel's programs have several blocks each
      C2  elements are f32, f64 or i32
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Simt_FirstBlockOp : Simt_Op<"first_block", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "from here on the first of the blocks that share a program is alone";
  let description = [{
    The others end. In a branch: all blocks of a program take the same one.
      C1  the kernel's programs have several blocks each
      C2  it stands in no loop
  }];
  let assemblyFormat = "attr-dict";
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

//===----------------------------------------------------------------------===//
// Blocks of memory, straight to and from the registers of a warp
//===----------------------------------------------------------------------===//

class Simt_BlockOp<string mnemonic, list<Trait> traits> : Simt_Op<mnemonic, traits> {
  code blockDescription = [{
    `at`: the block's first element in the frame. Of each message, as large as the
    descriptor's box, a lane has what `message` says: the layout of one warp over
    the box, with the dimensions of the tile, of which `fast` lies consecutive in
    memory.
      C1  one coordinate per dimension of the frame, of which the last two are
          those of the tile
      C2  the tile's layout is made of such messages, and the box is one
  }];
}

def Simt_LoadBlockOp : Simt_BlockOp<"load_block", [MemoryEffects<[MemRead]>]> {
  let summary = "a block of a frame, loaded into the registers of the warps";
  let description = "What lies outside of the frame is zero. Ordered as a tile.load_view of this group (R6)." # blockDescription;
  let arguments = (ins Simt_DescriptorType:$descriptor, Variadic<I64>:$at, Simt_LayoutAttr:$message, I32Attr:$fast,
                       DefaultValuedAttr<I64Attr, "0">:$group,
                       DefaultValuedAttr<Tile_CacheHintAttr, "::tz::tile::CacheHint::none">:$cache,
                       DefaultValuedAttr<Tile_EvictionAttr, "::tz::tile::Eviction::normal">:$evict);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $descriptor `[` $at `]` `by` $message `fast` $fast attr-dict `:` type($descriptor) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Simt_StoreBlockOp : Simt_BlockOp<"store_block", [MemoryEffects<[MemWrite]>]> {
  let summary = "the registers of the warps, stored as a block of a frame";
  let description = "What lies outside of the frame is not stored. Ordered as a tile.store_view of this group (R6)." # blockDescription;
  let arguments = (ins Tile_Tile:$value, Simt_DescriptorType:$descriptor, Variadic<I64>:$at, Simt_LayoutAttr:$message, I32Attr:$fast,
                       DefaultValuedAttr<I64Attr, "0">:$group,
                       DefaultValuedAttr<Tile_CacheHintAttr, "::tz::tile::CacheHint::none">:$cache,
                       DefaultValuedAttr<Tile_EvictionAttr, "::tz::tile::Eviction::normal">:$evict);
  let assemblyFormat = [{
    $value `to` $descriptor `[` $at `]` `by` $message `fast` $fast attr-dict `:` type($value) `to` type($descriptor)
  }];
  let hasVerifier = 1;
}

def Simt_PrefetchBlockOp : Simt_BlockOp<"prefetch_block", [MemoryEffects<[MemWrite]>]> {
  let summary = "a block of a frame will be loaded soon";
  let description = "Brings it nearer if `when` is true. No access is ordered with it." # blockDescription;
  let arguments = (ins Simt_DescriptorType:$descriptor, Variadic<I64>:$at, I1:$when, Simt_LayoutAttr:$message, I32Attr:$fast,
                       TypeAttrOf<Tile_Tile>:$tile);
  let assemblyFormat = [{
    $descriptor `[` $at `]` `when` $when `by` $message `fast` $fast `of` $tile attr-dict `:` type($descriptor)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Regions for schedulers
//===----------------------------------------------------------------------===//

class Simt_RegionOp<string mnemonic> : Simt_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins StrAttr:$name);
  let assemblyFormat = "$name attr-dict";
  let hasVerifier = 1;
}

def Simt_BeginRegionOp : Simt_RegionOp<"begin_region"> {
  let summary = "the begin of a region that a vendor's scheduler cares for";
  let description = [{
    Up to the end of the same name: ops of one block that all threads execute.
    Computes nothing; the target may emit what its scheduler reads
    (SimtHooks::beginRegion), the default is nothing.
      C1  an end of this name stands behind it in the block; regions between the
          two are whole
  }];
}

def Simt_EndRegionOp : Simt_RegionOp<"end_region"> {
  let summary = "the end of a region that a vendor's scheduler cares for";
  let description = [{
      C1  a begin of this name stands before it in the block; regions between the
          two are whole
  }];
}

#endif // TERRAZZO_SIMT_SIMTOPS_TD
