//===- Passes.td - the passes of the SIMT library -----------*- tablegen -*-===//
//
// In the order in which vendors run them. Each record agrees with a .cpp of its
// name, a lit test of its flag and the example in the .cpp's header.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_PASSES_TD
#define TERRAZZO_SIMT_PASSES_TD

include "mlir/Pass/PassBase.td"

class SimtPass<string flag> : Pass<flag, "::tz::tile::KernelOp"> {
  let dependentDialects = ["::tz::simt::SimtDialect", "::tz::tile::TileDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def MarkLastReads : SimtPass<"simt-mark-last-reads"> {
  let summary = "let what is read for the last time leave the cache first";
  let description = [{
    In a kernel without dots, loops may read a view one after the other. Loads
    of the last loop then get the lowest priority in the cache, and so do stores
    to what the kernel does not read.
  }];
  let statistics = [
    Statistic<"loads", "loads", "last reads">,
    Statistic<"stores", "stores", "stores of what is not read">
  ];
}

def SplitK : SimtPass<"simt-split-k"> {
  let summary = "let several blocks share a program's loop of dots";
  let description = [{
    The blocks of a cluster have one program. Each takes an equal part of the
    iterations of its loop of dots. They add up their sums through shared memory,
    and the first of them goes on alone. Declines where the loop carries more than
    sums that begin at zero, or the kernel writes before its end. Declines where
    programs wait for each other, print or assert.
  }];
  let options = [
    Option<"blocks", "blocks", "unsigned", /*default=*/"2", "blocks of a program: a power of two">
  ];
  let statistics = [
    Statistic<"divided", "divided", "loops that several blocks share">
  ];
}

def PersistPrograms : SimtPass<"simt-persist-programs"> {
  let summary = "let a block run program after program";
  let description = [{
    The body of a kernel with one loop of dots becomes a loop over program ids.
    So the copies of a block's next program can begin before the stores of this
    one have ended. The host launches as many blocks as fit at once. Declines
    where programs wait for each other, print or assert.
  }];
  let constructor = "tz::simt::createPersistPrograms(nullptr)";
  let statistics = [
    Statistic<"persisted", "persisted", "kernels whose blocks run several programs">
  ];
}

def VersionAlignment : SimtPass<"simt-version-alignment"> {
  let summary = "copy loops with dots for the case that loaded pointers are aligned";
  let description = [{
    The operands of a loop's dots may lie at pointers, or with strides, that
    were loaded. A test before the loop then asks whether all rows are aligned
    to 16 bytes. The copy for that case has hints that say so.
  }];
  let statistics = [
    Statistic<"versioned", "versioned", "loops that were copied">
  ];
}

def SplitDots : SimtPass<"simt-split-dots"> {
  let summary = "take products in parts whose operands fit into shared memory";
  let description = [{
    A dot both of whose operands need more than the shared memory of a block
    becomes two along k, and these again. Each part's operands lie there before
    the next part's. Declines where a part's rows along k would have fewer than
    32 bytes, which is the shortest matrix instruction, and on targets that do
    not exchange tiles in pieces (`exchangeBytes`).
  }];
  let constructor = "tz::simt::createSplitDots(nullptr)";
  let options = [
    Option<"sharedBytesOption", "shared-bytes", "uint64_t", /*default=*/"65536",
           "shared memory of a block, where no target says it">
  ];
  let statistics = [
    Statistic<"split", "split", "dots that became two">
  ];
}

def BulkStores : SimtPass<"simt-bulk-stores"> {
  let summary = "let the bulk copy unit store what dots computed";
  let description = [{
    A tile.store_view of what was computed from a dot becomes a simt.bulk_store, if
    its frame is known at launch. Full and checked branches around such stores
    become one again: the bulk copy unit cuts off what is outside for nothing.
    It stores units of 16 bytes, so threads store a block in which rows end
    between two of them. They store a tile of less than a vector each, too, for
    which the unit's wait is too long. So they do in a loop whose products are
    computed from a tile that it carries: the next one would wait until the unit
    has read shared memory.
  }];
  let constructor = "tz::simt::createBulkStores(nullptr)";
  let statistics = [
    Statistic<"stores", "stores", "stores that the bulk copy unit makes">,
    Statistic<"merged", "merged", "branches that differed in checks alone">
  ];
}

def AssignLayouts : SimtPass<"simt-assign-layouts"> {
  let summary = "give every tile a layout over the threads of a block";
  let description = [{
    Dots get what the target's instruction wants, accesses to memory lanes along
    the dimension that is consecutive there. Of strides that are not known, the
    one that is divisible by less is taken for it. From these, dots first, layouts
    spread to the values that are computed with them. Where two meet, a
    simt.convert stands. The block has `tile.num_warps` warps. They lie along the
    rows of a tile, or divide a row that all of them meet.
  }];
  let constructor = "tz::simt::createAssignLayouts(nullptr)";
  let statistics = [
    Statistic<"dots", "dots", "dots given to an instruction or to threads">,
    Statistic<"accesses", "accesses", "accesses whose layout was chosen">,
    Statistic<"conversions", "conversions", "places where two layouts meet">
  ];
}

def RemoveConversions : SimtPass<"simt-remove-conversions"> {
  let summary = "compute a value again instead of moving it between threads";
  let description = [{
    A conversion of what is cheap to compute (ranges, scalars, constants and
    integer arithmetic on them, quotients by constants among it) becomes that
    computation in the wanted layout. A row that the kernel only reads is loaded
    again, if few vectors bring it to a thread and its elements are not known to
    lie apart in memory. Conversions move before a broadcast, where there is less to move.
    A conversion that gives a thread more elements than it had moves behind the
    loops with dots that stand before all of its uses.
  }];
  let constructor = "tz::simt::createRemoveConversions(nullptr)";
  let statistics = [
    Statistic<"recomputed", "recomputed", "conversions replaced by computing the value again">,
    Statistic<"kept", "kept", "conversions that stay">,
    Statistic<"delayed", "delayed", "conversions that stay, and move behind loops">
  ];
}

def ReduceCarried : SimtPass<"simt-reduce-carried"> {
  let summary = "reduce what a thread holds before a loop combines it";
  let description = [{
    Loops carry a tile of bools or integers, combine it once an iteration, and a
    reduction of the same kind follows. The carried tile keeps one element where
    a thread held several along the axis. Each iteration reduces those of its
    own tile, which moves nothing between threads. The pass declines where
    something else reads the carried tile. It declines for floats, whose sums
    depend on their order.
  }];
  let constructor = "tz::simt::createReduceCarried()";
  let statistics = [
    Statistic<"changed", "changed", "reductions whose tiles became smaller">
  ];
}

def ShareBuffers : SimtPass<"simt-share-buffers"> {
  let summary = "stage a tile once for all dots that read it";
  let description = [{
    A transposed tile is staged as it was before, and the dot reads the buffer
    with its dimensions in the other order; what is staged is not converted
    first. Tiles that a dot reads as they are and another one transposed are then
    one buffer.
  }];
  let statistics = [
    Statistic<"permuted", "permuted", "transposed tiles that are staged as they were">
  ];
}

def BlockAccesses : SimtPass<"simt-block-accesses"> {
  let summary = "load and store whole blocks, straight to and from registers";
  let description = [{
    Loads of tiles whose layout is made of rectangles that the target loads by
    one instruction of a warp become simt.load_block, if the host can describe
    their frame. So do stores of such tiles, which are not converted first. In a
    loop with dots the blocks of later iterations are prefetched, as many
    iterations ahead as the loop has stages, less one. Others stay as they are.
  }];
  let constructor = "tz::simt::createBlockAccesses(nullptr)";
  let options = [
    Option<"blockBytesOption", "block-bytes", "unsigned", /*default=*/"0",
           "longest row of a message, where no target says it; 0: there are none">,
    Option<"lanesOption", "lanes", "unsigned", /*default=*/"16",
           "lanes of a warp">
  ];
  let statistics = [
    Statistic<"loads", "loads", "loads of whole blocks">,
    Statistic<"stores", "stores", "stores of whole blocks">,
    Statistic<"prefetched", "prefetched", "loads whose blocks are prefetched">
  ];
}

def PipelineLoops : SimtPass<"simt-pipeline-loops"> {
  let summary = "begin the loads of later iterations while this iteration's dots run";
  let description = [{
    In a loop with dots, loads whose addresses can be computed ahead become
    asynchronous copies into a ring buffer, `tile.num_stages` - 1 iterations
    early. They begin fewer iterations early where shared memory is short, and
    one fewer where more blocks then run beside each other. Iterations of which
    all begin before the loop have a slot each. A dot whose result is only
    the next iteration's accumulator stays in flight over the back edge. The
    last dot of an iteration, as in attention, may be delayed: it runs in the
    next one, beside what threads compute there. Where some warps compute while
    dots of others run, a slot is filled again when the warps have released it,
    without a barrier of the block. If the loop stands in another one, the copies of the next time round begin
    before what follows the loop. Blocks of a cluster (`simt.cluster` of the
    kernel) share the copies of tiles that both read.
  }];
  let constructor = "tz::simt::createPipelineLoops(nullptr)";
  let options = [
    Option<"sharedBytesOption", "shared-bytes", "uint64_t", /*default=*/"65536",
           "shared memory of a block, where no target says it">,
    Option<"unitSharedBytesOption", "unit-shared-bytes", "uint64_t", /*default=*/"0",
           "... of all blocks that run beside each other; 0: nothing is chosen for them">,
    Option<"asyncCopyBytesOption", "async-copy-bytes", "unsigned", /*default=*/"0",
           "narrowest asynchronous copy; 0: there are none, and nothing changes">,
    Option<"bulkCopiesOption", "bulk-copies", "bool", /*default=*/"false",
           "there is a bulk copy unit, for frames that are known at launch">,
    Option<"copyWarpsOption", "copy-warps", "unsigned", /*default=*/"0",
           "warps of a block that begin its copies; 0: the kernel's own">,
    Option<"warpsOfDotOption", "warps-of-dot", "unsigned", /*default=*/"4",
           "warps that begin a dot together">,
    Option<"sumsToDelayOption", "sums-to-delay", "unsigned", /*default=*/"0",
           "registers of sums from which a dot is delayed; 0: none is">
  ];
  let statistics = [
    Statistic<"pipelined", "pipelined", "loops whose loads are begun ahead">,
    Statistic<"copies", "copies", "loads that became asynchronous copies">,
    Statistic<"bulkCopies", "bulk-copies", "... of the bulk copy unit">,
    Statistic<"asyncDots", "async-dots", "dots that stay in flight over a back edge">,
    Statistic<"delayedDots", "delayed-dots", "dots that run an iteration later">,
    Statistic<"goOn", "go-on", "loops whose copies go on from one iteration of the loop around to the next">
  ];
}

def PipelineRegisters : SimtPass<"simt-pipeline-registers"> {
  let summary = "begin the loads of later iterations into registers, where no copies do";
  let description = [{
    In a loop with dots whose loads are no asynchronous copies, loads whose
    addresses can be computed ahead are done up to `tile.num_stages` - 1
    iterations early. They wait in registers, packed into words. What dots read
    from shared memory is written to a slot of a ring buffer behind the dots of
    the iteration before. With two slots an iteration has one barrier; where
    shared memory is short there is one slot, and two barriers. What no dot
    reads from shared memory stays in registers until its iteration. Loads go
    as many iterations ahead as registers allow without fewer blocks beside each
    other. Of loads that have no room the largest stay in place.
  }];
  let constructor = "tz::simt::createPipelineRegisters(nullptr)";
  let options = [
    Option<"registersOption", "registers", "unsigned", /*default=*/"0",
           "registers of a thread, where no target says it; 0: nothing changes">,
    Option<"sharedBytesOption", "shared-bytes", "uint64_t", /*default=*/"65536",
           "shared memory of a block, where no target says it">
  ];
  let statistics = [
    Statistic<"pipelined", "pipelined", "loops whose loads are begun ahead">,
    Statistic<"staged", "staged", "loads that go through registers into a ring buffer">,
    Statistic<"held", "held", "loads that stay in registers until they are used">
  ];
}

def PrefetchLoads : SimtPass<"simt-prefetch-loads"> {
  let summary = "load for the next iteration, or for several iterations at once, into registers";
  let description = [{
    In a loop with dots, loads that are no asynchronous copies are done one iteration
    early; with one stage only those of a few registers. So they are in a recurrence,
    and where blocks have one warp that combines its lanes. A small loop without dots,
    in which a thread loads a few bytes an iteration, does the loads of four iterations
    together, then the four iterations. Of short iterations there are eight, and of
    those of blocks with many warps as few as have registers. With 32 warps a loop that
    carries nothing stays as it is. What is left is a group of four, if there are as
    many, and one group of the others. All loads come first where up to eight
    iterations are known, or it is known that there are at most four.
  }];
  let statistics = [
    Statistic<"prefetched", "prefetched", "loads that go ahead">
  ];
}

def LoadBeforeStore : SimtPass<"simt-load-before-store"> {
  let summary = "begin loads before stores that they cannot meet";
  let description = [{
    A load moves before the stores in front of it, with what it is computed from,
    up to the last load before them. It stays behind a store to an array that may
    be its own, unless both are known to touch different elements, and behind
    atomics, loops and branches. Loads that have passed a store take at most 16
    registers of a thread there; one that would take more passes later stores
    only. Blocks with dots stay as they are.
  }];
  let constructor = "tz::simt::createLoadBeforeStore()";
  let statistics = [
    Statistic<"begun", "begun", "loads that begin before a store">
  ];
}

def LoadBeforeExchange : SimtPass<"simt-load-before-exchange"> {
  let summary = "begin loads before exchanges between threads that they do not need";
  let description = [{
    A load behind a conversion between threads moves before it, with what it is
    computed from. Only loads and what touches no memory may stand between, and
    few registers be taken, for an exchange of as much. A load of a few bytes a
    thread moves before up to eight reductions across threads. Blocks with dots
    stay as they are.
  }];
  let constructor = "tz::simt::createLoadBeforeExchange()";
  let statistics = [
    Statistic<"begun", "begun", "loads that begin before an exchange">
  ];
}

def OverlapDots : SimtPass<"simt-overlap-dots"> {
  let summary = "let the threads go on while dots run";
  let description = [{
    A dot begins as soon as its operands are there, right behind the one before
    it if they were there already. It is waited for where its result is read,
    while younger ones go on. What the threads read from shared memory to
    compute with it is read while it runs, not before it, and bulk copies for
    later iterations begin behind the first dots.
  }];
  let constructor = "tz::simt::createOverlapDots(nullptr)";
  let statistics = [
    Statistic<"hoisted", "hoisted", "dots that begin earlier">,
    Statistic<"begun", "begun", "dots that run beside the threads">,
    Statistic<"sunk", "sunk", "reads, and what is made of them, moved behind dots">,
    Statistic<"postponed", "postponed", "copies for later iterations moved behind dots">
  ];
}

def SpecializeWarps : SimtPass<"simt-specialize-warps"> {
  let summary = "let a warp of its own begin the copies of a kernel's loops";
  let description = [{
    A kernel with loops that the bulk copy unit feeds alone becomes two halves
    that run beside each other. One is what leads to the copies, scalars and
    control flow; the other is all the rest. They meet at the barriers of the
    ring buffers' slots. The warps that compute wait for copies only, and copies
    run ahead of them as far as the ring buffers reach. Declines where a loop
    stands in another loop, an address is no scalar, or the kernel has an
    assert.
  }];
  let constructor = "tz::simt::createSpecializeWarps(nullptr)";
  let options = [
    Option<"copyWarpsOption", "copy-warps", "unsigned", /*default=*/"0",
           "warps of a block that begin its copies; 0: none, and nothing changes">,
    Option<"sharedBytesOption", "shared-bytes", "uint64_t", /*default=*/"65536",
           "shared memory of a block, where no target says it">
  ];
  let statistics = [
    Statistic<"specialized", "specialized", "kernels whose copies have warps of their own">
  ];
}

def StageBehindCopies : SimtPass<"simt-stage-behind-copies"> {
  let summary = "begin a loop's copies before a tile that is staged for it arrives";
  let description = [{
    A tile may be loaded and staged before a loop, for its dots. It is written
    into its buffer behind the first copies of the loop: they begin beside the
    load. Only loads and what touches no memory may stand between. What else
    reads the buffer must stand behind the loop's branch.
  }];
  let constructor = "tz::simt::createStageBehindCopies()";
  let statistics = [
    Statistic<"moved", "moved", "stages that are written behind copies">
  ];
}

def MarkRegions : SimtPass<"simt-mark-regions"> {
  let summary = "name the parts of loops that a vendor's scheduler cares for";
  let description = [{
    The body of a loop with dots whose loads begin iterations ahead becomes the
    region `pipeline`, and dots that follow each other the region `products`.
    What a region is for is the target's matter; the default is nothing.
  }];
  let constructor = "tz::simt::createMarkRegions(nullptr)";
  let options = [
    Option<"wantsRegionsOption", "wants-regions", "bool", /*default=*/"false",
           "does the target want regions? Else nothing changes">
  ];
  let statistics = [
    Statistic<"pipelines", "pipelines", "bodies of loops that are regions">,
    Statistic<"groups", "groups", "regions of dots">
  ];
}

#endif // TERRAZZO_SIMT_PASSES_TD
