//===- SimtAsync.td - what happens beside the program -------*- tablegen -*-===//
//
// What   Ring buffers in shared memory, copies into them that go on while
//        the threads compute, and dots that do.
// Why    A loop is pipelined by rewriting it in these ops (simt-pipeline-loops);
//        after that nobody moves an access over a wait.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_SIMTASYNC_TD
#define TERRAZZO_SIMT_SIMTASYNC_TD

include "terrazzo/simt/SimtBase.td"

defvar Simt_Cache = DefaultValuedAttr<Tile_CacheHintAttr, "::tz::tile::CacheHint::none">;
defvar Simt_Evict = DefaultValuedAttr<Tile_EvictionAttr, "::tz::tile::Eviction::normal">;

def Simt_RingOp : Simt_Op<"ring", [MemoryEffects<[MemAlloc]>]> {
  let summary = "buffers that are filled in turn";
  let description = [{
    Shared memory from here to the last use of a slot. Who reads a slot has
    waited for its copies or writes, who fills it knows that all have read it:
    the library puts no barrier of its own.
  }];
  let results = (outs Simt_RingType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Simt_SlotOp : Simt_Op<"slot", [Pure]> {
  let summary = "one buffer of a ring";
  let description = [{
      C1  the result is the ring's buffer
    The index is below the ring's count.
  }];
  let arguments = (ins Simt_RingType:$ring, I32:$index);
  let results = (outs Simt_BufferType:$result);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_ReadOp : Simt_Op<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "a tile read from shared memory";
  let description = [{
      C1  the buffer has the tile's shape and element type
  }];
  let arguments = (ins Simt_BufferType:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_WriteOp : Simt_Op<"write", [MemoryEffects<[MemWrite]>]> {
  let summary = "a tile written into a slot";
  let description = [{
    Who writes knows that all have read what the slot held; it is read behind a
    sync.
      C1  the slot has the tile's shape and element type
  }];
  let arguments = (ins Tile_Tile:$source, Simt_BufferType:$to);
  let assemblyFormat = "$source `to` $to attr-dict `:` type($source) `to` type($to)";
  let hasVerifier = 1;
}

def Simt_PackOp : Simt_Op<"pack", [Pure]> {
  let summary = "what each thread holds of a tile, as words of 32 bits";
  let description = [{
    So that a loop carries a tile of narrow elements in as few registers as it
    was loaded in. The result is for simt.unpack alone.
      C1  the result is the source's packed type
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_UnpackOp : Simt_Op<"unpack", [Pure]> {
  let summary = "the tile that was packed";
  let description = [{
      C1  the source is the result's packed type
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Simt_AsyncCopyOp : Simt_Op<"async_copy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "begins to load through pointers into a buffer";
  let description = [{
    What the mask excludes becomes zero. If `when` is false nothing is copied. The
    buffer holds the elements after an async_wait that covers the copy.
      C1  the pointers have the buffer's shape and point to its elements
  }];
  let arguments = (ins Tile_Tile:$pointer, Optional<Tile_Tile>:$mask, Simt_BufferType:$to, I1:$when,
                       Simt_Cache:$cache, Simt_Evict:$evict);
  let assemblyFormat = [{
    $pointer (`mask` $mask^)? `to` $to `when` $when attr-dict
    `:` type($pointer) (`mask` type($mask)^)? `to` type($to)
  }];
  let hasVerifier = 1;
}

def Simt_AsyncCopyViewOp : Simt_Op<"async_copy_view", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "begins to load a block of a view into a buffer";
  let description = [{
    As tile.load_view; what is outside becomes zero. `layout` says which thread
    copies what.
      C1  the view's tile has the buffer's shape and elements, and so has the layout
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<I64>:$offsets, Simt_BufferType:$to, I1:$when,
                       DenseBoolArrayAttr:$checked, Simt_LayoutAttr:$layout, Simt_Cache:$cache, Simt_Evict:$evict);
  let assemblyFormat = [{
    $view `[` $offsets `]` `to` $to `when` $when `checked` $checked `layout` $layout attr-dict
    `:` type($view) `to` type($to)
  }];
  let hasVerifier = 1;
}

def Simt_AsyncCommitOp : Simt_Op<"async_commit", [MemoryEffects<[MemWrite]>]> {
  let summary = "the copies begun since the last commit are one group";
  let assemblyFormat = "attr-dict";
}

def Simt_AsyncWaitOp : Simt_Op<"async_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads wait until at most `pending` groups are on their way";
  let description = [{
    What the older groups copied is seen by all threads, and every thread has
    done what stands before.
  }];
  let arguments = (ins I32Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Simt_DotWaitOp : Simt_Op<"dot_wait", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["sources", "results"]>,
                                          AttrSizedOperandSegments]> {
  let summary = "waits until at most `pending` dots are in flight";
  let description = [{
    The results are the sources; of a dot that is still in flight they may only
    be the accumulator of the next. `reads`: staged tiles that dots read which
    are finished now.
  }];
  let arguments = (ins I32Attr:$pending, Variadic<Tile_Tile>:$sources, Variadic<Simt_BufferType>:$reads);
  let results = (outs Variadic<Tile_Tile>:$results);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types, "uint32_t":$pending, "::mlir::ValueRange":$sources,
                                 CArg<"::mlir::ValueRange", "{}">:$reads)>];
  let assemblyFormat = [{
    $pending `,` $sources (`reads` $reads^)? attr-dict `:` type($sources) (`reads` type($reads)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Copies of whole blocks by the bulk copy unit
//===----------------------------------------------------------------------===//

def Simt_DescriptorOp : Simt_Op<"descriptor", [Pure, AttrSizedOperandSegments]> {
  let summary = "a descriptor that the host makes before the launch";
  let description = [{
    Of the frame that begins `offset` elements after `base`; dimensions are
    outermost first, strides count elements, the last one is 1. The frame's
    arguments are read by the host: they are computed from the kernel's arguments
    alone. `positive` must be positive; then, and if the bulk copy unit can read the
    frame, the kernel may be launched.
      C1  base is an argument of the kernel
      C2  as many extents and strides as the descriptor's box has
  }];
  let arguments = (ins Tile_PtrType:$base, I64:$offset, Variadic<I64>:$shape, Variadic<I64>:$strides,
                       Variadic<AnyTypeOf<[I32, I64]>>:$positive);
  let results = (outs Simt_DescriptorType:$result);
  let assemblyFormat = [{
    $base `[` $offset `]` `shape` `[` $shape `]` `strides` `[` $strides `]` (`positive` $positive^ `:` type($positive))?
    attr-dict `:` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Simt_BarriersOp : Simt_Op<"barriers", [MemoryEffects<[MemAlloc]>]> {
  let summary = "barriers, one for each slot";
  let description = [{
    They are in phase 0 from here to barriers_end, or to the end of a kernel that
    is specialised, or whose blocks form clusters; phases count modulo two. Some
    say that a slot is full: its copies arrive there. Some say that it is empty:
    the warps that have read it do, those of all blocks of a cluster.
  }];
  let results = (outs Variadic<Simt_BarriersType>:$results);
  let assemblyFormat = "attr-dict `:` type($results)";
}

def Simt_BarriersEndOp : Simt_Op<"barriers_end", [MemoryEffects<[MemWrite, MemFree]>]> {
  let summary = "nobody waits at these barriers any more";
  let description = [{ All threads wait for each other; nothing is on its way. }];
  let arguments = (ins Variadic<Simt_BarriersType>:$barriers);
  let assemblyFormat = "$barriers attr-dict `:` type($barriers)";
}

def Simt_SyncOp : Simt_Op<"sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the block wait for each other; orders accesses to shared memory";
  let assemblyFormat = "attr-dict";
}

def Simt_ExpectOp : Simt_Op<"expect", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "so many bytes will arrive at a barrier in this phase";
  let description = [{
      C1  a phase of the barrier has one arrival
  }];
  let arguments = (ins Simt_BarriersType:$barriers, I32:$index, I64Attr:$bytes, I1:$when);
  let assemblyFormat = "$bytes `at` $barriers `[` $index `]` `when` $when attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Simt_BulkCopyOp : Simt_Op<"bulk_copy", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "begins to copy a block of a frame into a buffer";
  let description = [{
    `at`: the block's first element in the frame; what lies outside becomes zero.
    The bytes arrive at the barrier, which was told to expect them. If `shared` is
    true, the blocks of a cluster copy the same block here: each brings its
    part of the boxes, to all of them.
      C1  one coordinate per dimension of the frame
      C2  what is shared has a box for each block, or some
      C3  the buffer has no padding
  }];
  let arguments = (ins Simt_DescriptorType:$descriptor, Variadic<I64>:$at, Simt_BufferType:$to,
                       Simt_BarriersType:$barriers, I32:$index, I1:$when, Optional<I1>:$shared,
                       Simt_Cache:$cache, Simt_Evict:$evict);
  let assemblyFormat = [{
    $descriptor `[` $at `]` `to` $to `signal` $barriers `[` $index `]` `when` $when (`shared` $shared^)? attr-dict
    `:` type($descriptor) `to` type($to) `,` type($barriers)
  }];
  let hasVerifier = 1;
}

def Simt_BulkStoreOp : Simt_Op<"bulk_store", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stores a tile by way of shared memory";
  let description = [{
    The threads put the tile into a buffer of this type. From there the bulk
    copy unit stores it as a block of a frame, beside what the threads do next.
    `at`: the block's first element in the frame; what lies outside is not
    stored. Ordered with other accesses as a tile.store_view of this `group`
    (R6). It takes the memory of one of `pieces` of the buffer: they follow each
    other.
      C1  the buffer has the tile's shape and elements
      C2  one coordinate per dimension of the frame
      C3  each piece is whole panels and whole periods of the swizzle, and a
          register of the tile lies in one piece, whatever the thread
      C4  the buffer has no padding
  }];
  let arguments = (ins Tile_Tile:$value, Simt_DescriptorType:$descriptor, Variadic<I64>:$at,
                       TypeAttrOf<Simt_BufferType>:$buffer, DefaultValuedAttr<I64Attr, "0">:$group,
                       Simt_Cache:$cache, Simt_Evict:$evict, DefaultValuedAttr<I64Attr, "1">:$pieces);
  let assemblyFormat = [{
    $value `to` $descriptor `[` $at `]` `by` $buffer attr-dict `:` type($value) `to` type($descriptor)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Could it be stored in so many pieces (C3)?
    bool canStoreIn(int64_t pieces);
    /// Of the buffer.
    int64_t getPieceBytes() { return getBuffer().getBytes() / int64_t(getPieces()); }
    /// In which piece a register of the tile lies.
    int64_t pieceOf(unsigned reg);
  }];
}

def Simt_AcquireOp : Simt_Op<"acquire", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "who begins copies waits until a slot is empty";
  let description = [{
    Until the phase of the slot's barrier has ended: all warps have released what
    the slot held. The others go on. The phase before the first one has ended: a
    new slot is empty.
      C1  warps arrive at the barrier
  }];
  let arguments = (ins Simt_BarriersType:$barriers, I32:$index, I32:$phase, I1:$when);
  let assemblyFormat = "$barriers `[` $index `]` `phase` $phase `when` $when attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Simt_ReleaseOp : Simt_Op<"release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "each warp says that it has read a slot";
  let description = [{
    One arrival of each warp, when all its threads are here; at the barriers of
    all blocks of a cluster.
      C1  warps arrive at the barrier
  }];
  let arguments = (ins Simt_BarriersType:$barriers, I32:$index, I1:$when);
  let assemblyFormat = "$barriers `[` $index `]` `when` $when attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Simt_BarrierWaitOp : Simt_Op<"barrier_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "each thread waits until a phase of a barrier has ended";
  let arguments = (ins Simt_BarriersType:$barriers, I32:$index, I32:$phase);
  let assemblyFormat = "$barriers `[` $index `]` `phase` $phase attr-dict `:` type($barriers)";
}

//===----------------------------------------------------------------------===//
// Warps for the copies only
//===----------------------------------------------------------------------===//

def Simt_DoneOp : Simt_Op<"done", [Pure, Terminator, HasParent<"SpecializeOp">]> {
  let summary = "the end of one half of a kernel";
  let assemblyFormat = "attr-dict";
}

def Simt_SpecializeOp : Simt_Op<"specialize", [RecursiveMemoryEffects, NoRegionArguments,
                                               SingleBlockImplicitTerminator<"DoneOp">]> {
  let summary = "two halves of a kernel that run beside each other";
  let description = [{
    The block has `warps` warps more than tiles are laid out over. One thread of
    them runs `copies`, the kernel's own warps run `work`; they meet at barriers
    with phases alone. Shared memory that both use is allocated before.
      C1  what follows is the end of the kernel
      C2  `copies` holds scalars, loops, branches, and acquire, expect and bulk_copy
      C3  `work` acquires nothing
  }];
  let arguments = (ins I32Attr:$warps);
  let regions = (region SizedRegion<1>:$copies, SizedRegion<1>:$work);
  let assemblyFormat = "$warps `copies` $copies `work` $work attr-dict";
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "unsigned":$warps)>];
  let extraClassDeclaration = [{
    ::mlir::Block *copiesBlock() { return &getCopies().front(); }
    ::mlir::Block *workBlock() { return &getWork().front(); }
  }];
}

#endif // TERRAZZO_SIMT_SIMTASYNC_TD
