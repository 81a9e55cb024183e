//===- Passes.td - the shared optimizer's table of contents -*- tablegen -*-===//
//
// In pipeline order. Each record agrees with a .cpp of its name, a lit test of
// its flag, a line in TilePipeline.cpp and the example in the .cpp's header.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_PASSES_TD
#define TERRAZZO_OPTIMIZER_PASSES_TD

include "mlir/Pass/PassBase.td"

/// `readsTarget`: the pass asks the target's description, so it belongs to the
/// prepared stage; without it, to the neutral one (R2).
class KernelPass<string flag, bit reads = 0> : Pass<flag, "::tz::tile::KernelOp"> {
  bit readsTarget = reads;
  let dependentDialects = ["::tz::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def RecordParts : KernelPass<"tile-record-parts"> {
  let summary = "record when parts of the kernel begin and end, where it asks for that";
  let description = [{
    A kernel with `tile.records` gets a `tile.record` before and behind each part
    that it asks for. `loops` are loops, and `dots` are dots. `operations` are
    loads, stores, atomics, dots, reductions and scans. The end of every part, also
    of those of the source, is told what the part computes for what follows. These
    values are computed before the clock is read. Offsets, masks and pointers are
    not among them.
  }];
  let statistics = [
    Statistic<"parts", "parts", "ends of parts">
  ];
}

def Sanitize : KernelPass<"tile-sanitize"> {
  let summary = "insert the checks of sanitizers, where the kernel asks for some";
  let description = [{
    A kernel with `tile.sanitize = ["bounds", "nan", ...]` gets checks that write
    reports into the log; one without it stays as it is. `bounds`: each access
    is compared with the memory of the arguments that its pointer comes from,
    whose ends become two more arguments (`x.begin`, `x.end`). Where an element
    is outside, the access is done without it. Scalars are compared where they
    give the corners of an access; a loop whose accesses they find inside runs
    without checks, and a copy of it with checks. `uninitialized`: loads look into
    a shadow of the array, in which stores note what they write (`x.written`), or
    without one for the marks of unwritten memory (terrazzo/unwritten.h).
    `race`: an access leaves the program's number in a shadow of its element,
    and looks at those of others. The shadow is `x.race`, of arrays that are
    only read `x.reads`; behind it stand the bytes of a cell and the number of
    its keys. `nan`: where an operation makes
    NaN or infinity of finite operands. `overflow`: the frontend's asserts of
    sums and products become reports, and divisors and shift amounts are looked
    at. An access through an address that comes
    from no argument is not checked; a remark says so.
  }];
  let statistics = [
    Statistic<"accesses", "accesses", "accesses that are compared with their arrays">,
    Statistic<"unknown", "unknown", "accesses of no known array, which are not checked">,
    Statistic<"values", "values", "operations whose results are looked at">
  ];
}

def Simplify : KernelPass<"tile-simplify"> {
  let summary = "rewrite ops to fewer or simpler ones with the same value";
  let description = [{
    Folds constants, moves elementwise integer work below splat, broadcast and
    reshape, removes values that a loop carries for nothing. Later passes look
    for one form of each idea; this makes it. Runs several times.
  }];
  let statistics = [
    Statistic<"scalarWork", "scalar-work", "tiles of equal lanes computed as scalars">,
    Statistic<"shapeChains", "shape-chains", "chains of splat, broadcast, reshape, transpose joined">,
    Statistic<"constantIntegers", "constant-integers", "integer ops with constant or equal operands">,
    Statistic<"comparedIntegers", "compared-integers", "the lesser or greater of two integers, by a comparison">,
    Statistic<"constantMasks", "constant-masks", "accesses whose mask is constant">,
    Statistic<"emptyOps", "empty-ops", "offsets of zero and promises that say nothing">,
    Statistic<"carriedValues", "carried-values", "loops that carried values for nothing">,
    Statistic<"widenedBehind", "widened-behind", "branches behind which a result is widened">,
    Statistic<"canonicalized", "canonicalized", "rewrites by an op's own patterns">,
    Statistic<"foldedOps", "folded-ops", "ops folded to a value that was there, or a constant">,
    Statistic<"deadOps", "dead-ops", "ops removed because nobody used them">
  ];
}

def HoistInvariants : KernelPass<"tile-hoist-invariants"> {
  let summary = "move what does not change in a loop to before it";
  let description = [{
    Pure ops move when their operands are from outside. A load moves as well if
    no access in the loop may write its bytes (R6) and the loop is known to run
    at least once. A remark says which of the two keeps it. A loop with
    disable_licm keeps loads and floats: only integers, masks, pointers and
    views leave it, without which RecoverViews would not recognise increments.
  }];
  let statistics = [
    Statistic<"hoistedOps", "hoisted-ops", "pure ops moved out of a loop">,
    Statistic<"hoistedLoads", "hoisted-loads", "loads moved out of a loop">,
    Statistic<"declined", "declined", "loads of the same bytes that stay in a loop">
  ];
}

def Combine : KernelPass<"tile-combine"> {
  let summary = "join neighbouring ops that one op can do";
  let description = [{
    A sum with a dot becomes the dot's accumulator, a select between a masked
    load and another value becomes the load's value for masked-off lanes. Runs
    before views are recovered, because a view's mask is no value any more. A
    remark says why a sum with a product stays an op of its own. A reduction of
    products, sum(a[:, :, None] * b, 1), does not become a dot. Neutral IR is
    what the interpreter runs: P17 fixes its order of additions, and each
    product is rounded. A remark tells of tl.dot.
  }];
  let statistics = [
    Statistic<"dotAccumulators", "dot-accumulators", "sums that became a dot's accumulator">,
    Statistic<"guardedLoads", "guarded-loads", "selects that became a load's other value">,
    Statistic<"declined", "declined", "sums with a product, or of products, that stay">
  ];
}

def DropMasks : KernelPass<"tile-drop-masks"> {
  let summary = "take bounds out of masks whose other side no store shows";
  let description = [{
    A select's mask loses `offsets < limit` if what the select gives beyond the
    limit reaches only stores that mask it off by the same bound. It is followed
    through elementwise ops, products, loops and reductions along other
    dimensions. Runs before views are recovered, while offsets still reach
    addresses (P26).
  }];
  let statistics = [
    Statistic<"droppedBounds", "dropped-bounds", "comparisons that a mask lost">
  ];
}

def UnsignedDivisions : KernelPass<"tile-unsigned-divisions"> {
  let summary = "divide what is not negative as unsigned numbers";
  let description = [{
    Of a dividend that is not negative the signed quotient and remainder are the
    unsigned ones, if the divisor is above 0. Its range may say so. Sums and
    products of such numbers are not negative either, where they do not
    overflow. Those that compute an address or are compared in a mask do not
    (P26). Runs before views are recovered, while offsets still reach addresses.
  }];
  let statistics = [
    Statistic<"divisions", "divisions", "quotients and remainders made unsigned">
  ];
}

def RecoverViews : KernelPass<"tile-recover-views"> {
  let summary = "turn accesses by tiles of pointers into accesses of views";
  let description = [{
    Reads pointers as base + sum of stride * (offset + index) and masks as bounds
    on the indices, through loops that add the same every iteration. What has
    that form becomes make_view with load_view or store_view. Block pointers
    that a loop advances become fixed views with offsets. Dimensions without a
    bound are unchecked and have extent 2^63-1. The limit of offsets that wrap
    around or stop (% M, minimum, where) is a bound if no store shows what is
    read beyond it. For % their sign is asked once, before the loops, if it is
    not known. Needs that address arithmetic does not overflow (P26). A remark
    says why an access stays as it is.
  }];
  let options = [
    Option<"limit", "limit", "unsigned", /*default=*/"400",
           "ops of a kernel that may be copied for offsets of unknown sign; 0 never copies">
  ];
  let statistics = [
    Statistic<"recoveredLoads", "recovered-loads", "loads that became load_view">,
    Statistic<"recoveredStores", "recovered-stores", "stores that became store_view">,
    Statistic<"foldedLoads", "folded-loads", "loads by offsets % M whose folded lanes nobody sees">,
    Statistic<"versionedBlocks", "versioned-blocks", "copies made for offsets of unknown sign">,
    Statistic<"fixedViews", "fixed-views", "accesses of moved views put on the fixed view">,
    Statistic<"declined", "declined", "accesses that keep their pointers, or a view that moves">
  ];
}

def ReduceRanks : KernelPass<"tile-reduce-ranks"> {
  let summary = "load and store matrices of a larger array as matrices";
  let description = [{
    A load of a view, or a store to one, with a reshape that adds or drops
    dimensions of one element takes a view without them. Its base is moved to where
    the block lies along them. A block that may lie outside along such a dimension
    is asked for outside of the first one that stays. Views that a loop carries, and
    loads with several users, stay.
  }];
  let statistics = [
    Statistic<"reduced", "reduced", "loads and stores of views with fewer dimensions">
  ];
}

def PeelMasks : KernelPass<"tile-peel-masks", /*reads=*/1> {
  let summary = "run full blocks without bounds checks";
  let description = [{
    Splits a loop at the first iteration whose block may cross a bound. What
    does not depend on a loop stands under one scf.if that asks whether all
    blocks are full. The checked form stays beside the unchecked one; in that,
    comparisons that hold in all lanes of full blocks are folded for all their
    uses. A remark says what keeps a check, or why each iteration of a loop asks
    for it. With the feature `views.bounds` a loop with dots and no other masks
    is not copied for the bounds of its loads. One with masks is copied only
    where it is split. Where a loop that is split leaves one iteration at most,
    that is a branch. With `masks.predicates` nothing is copied whose loops
    ask for no check, that has no dots beside loops and comes behind no loop with
    dots: it asks once. Nor is a kernel without
    dots whose accesses have more than 4096 elements for each warp. Neither is a
    loop copied for predicates of its loads if its dots' operands are computed
    from them (with `views.bounds`). Where programs differ in whether blocks are
    full, loops that are split in any case ask for it with their iterations.
  }];
  let options = [
    ListOption<"features", "features", "std::string",
               "capability names that the target's description lists">,
    Option<"limit", "limit", "unsigned", /*default=*/"400",
           "ops that may be copied in one kernel; raise it for kernels with large loop bodies">
  ];
  let statistics = [
    Statistic<"unmaskedDims", "unmasked-dims", "dimensions of accesses that lost their check">,
    Statistic<"versionedBlocks", "versioned-blocks", "blocks put under a test that all is full">,
    Statistic<"peeledLoops", "peeled-loops", "loops split at their first partial block">,
    Statistic<"knownMasks", "known-masks", "comparisons known to hold in a full block">,
    Statistic<"declined", "declined", "checks that stay, and copies not made for their size">
  ];
}

def MergeAtomics : KernelPass<"tile-merge-atomics"> {
  let summary = "add once per address and program, not once per lane";
  let description = [{
    An atomic addition of one integer by each lane of a tile becomes a histogram
    of the lanes and one atomic addition per address that was hit. The addresses
    are few and beside each other, and nothing uses what was there.
  }];
  let options = [
    Option<"fewest", "fewest", "unsigned", /*default=*/"4",
           "lanes per address from which on it is worth it; raise it where counting within a program is slow">
  ];
  let statistics = [
    Statistic<"merged", "merged", "atomic additions that became a histogram and fewer additions">
  ];
}

def UnrollLoops : KernelPass<"tile-unroll-loops"> {
  let summary = "copy loop bodies as often as their author asks";
  let description = [{
    A loop of `tl.range(..., loop_unroll_factor=n)` gets n copies of its body; a
    second loop takes the iterations that are left. Runs after masks are peeled, for
    the loop without checks only. A remark says where the copies would have been
    too large.
  }];
  let options = [
    Option<"limit", "limit", "unsigned", /*default=*/"4000",
           "ops that copies may have in one kernel; raise it for large bodies with large factors">
  ];
  let statistics = [
    Statistic<"unrolledLoops", "unrolled-loops", "loops whose body was copied">,
    Statistic<"declined", "declined", "loops whose copies would have been too large">
  ];
}

//===----------------------------------------------------------------------===//
// Prepared: these read the target's description
//===----------------------------------------------------------------------===//

def LegalizePrecision : KernelPass<"tile-legalize-precision", /*reads=*/1> {
  let summary = "choose the target's precision, refuse types that it lacks";
  let description = [{
    A dot of f32 tiles whose precision is the target's choice becomes ieee where
    the target lists `dot.f32` or no `dot.tf32`, else tf32, with a remark. On a
    target of the latter kind a product of f16 or bf16 tiles that were extended
    multiplies these, unless it asks for ieee: it is the same sum. A product in tf32x3, bf16x3 or bf16x6 becomes three
    or six of parts in tf32 or bf16. Values of f64, of 8-bit and of 4-bit floats
    need the features `f64`, `fp8`, `fp4`; without them the first op of each type
    is an error.
  }];
  let options = [
    ListOption<"features", "features", "std::string",
               "capability names that the target's description lists">
  ];
  let statistics = [
    Statistic<"resolvedDots", "resolved-dots", "dots that got the target's precision">,
    Statistic<"narrowedDots", "narrowed-dots", "dots of extended halves that became dots of halves">,
    Statistic<"splitDots", "split-dots", "dots that became several of parts of their operands">
  ];
}

def LegalizeMath : KernelPass<"tile-legalize-math", /*reads=*/1> {
  let summary = "compute functions that the target lacks by simpler ones";
  let description = [{
    A function of `tile.math`, a power, a quotient or a remainder that is not
    among the target's features `math.<fn>.<type>` becomes the arithmetic of the
    embedded library's source. It is within the tolerances; its branches and
    loops stand in a `tile.map`. f16 and narrower types are computed in f32.
    Every target has `div` and `rsqrt` of f32, and abs, floor, ceil, trunc, rint
    of all types: these have no source.
  }];
  let options = [
    ListOption<"features", "features", "std::string",
               "capability names that the target's description lists">
  ];
  let statistics = [
    Statistic<"expanded", "expanded", "functions replaced by the library's source">,
    Statistic<"widened", "widened", "functions of narrow types computed in f32">
  ];
}

#endif // TERRAZZO_OPTIMIZER_PASSES_TD
