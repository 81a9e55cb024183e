//===- TileBase.td - the tile dialect, its types and enums --*- tablegen -*-===//
//
// What   The dialect, !tile.ptr and !tile.view, the enums of the ops, and the
//        base class whose arguments are what every op must state: the version
//        that introduced it.
// Why    Ops are split by family (TileProgramOps.td, TileShapeOps.td,
//        TileComputeOps.td, TileMemoryOps.td); this is what they share.
//
// Each op's constraints are numbered C1, C2 ... in its description; the
// verifier names the number, and test/ir has one negative case for each.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_IR_TILEBASE_TD
#define TERRAZZO_IR_TILEBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tz::tile";
  let summary = "Programs over tiles: static-shape values, structured control flow";
  let description = [{
    A tile program is one `tile.kernel`. Tiles are values of type
    `tensor<128x64xf16>`; effects happen only in the memory ops. From upstream
    only total ops of `arith` and the structured ops of `scf` are used; what
    needs a definition of its own (division, shifts, narrowing, min/max, math)
    is an op of this dialect, defined for every input.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1; // as arith.constant
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let extraClassDeclaration = [{ void registerTypes(); void registerOps(); }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//
class Tile_Type<string name, string mnemo> : TypeDef<Tile_Dialect, name> {
  let mnemonic = mnemo;
}

def Tile_PtrType : Tile_Type<"Ptr", "ptr"> {
  let summary = "address of one element in the target's flat memory";
  let description = "`!tile.ptr<f16>`. 64 bits wide. i1 elements occupy a byte.";
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
}

def Tile_ViewType : Tile_Type<"View", "view"> {
  let summary = "a window onto strided memory: base, shape, strides, block, position";
  let description = [{
    `!tile.view<128x64xf16>`. The type gives block shape and element type; base
    address, tensor shape, strides (in elements) and position (in elements, per
    dimension) are run-time parts of the value. Block pointers and tensor
    descriptors mean views; what implements them is the target's choice.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// The tile type that a load of this view gives.
    ::mlir::RankedTensorType getTileType() const {
      return ::mlir::RankedTensorType::get(getShape(), getElementType());
    }
  }];
}

def Tile_Float : AnyTypeOf<[F16, BF16, F32, F64, F8E4M3FN, F8E5M2, F8E4M3FNUZ,
                            F8E5M2FNUZ, F4E2M1FN], "floating point element">;
def Tile_Int : AnyTypeOf<[I1, I8, I16, I32, I64], "integer element">;
def Tile_Elem : AnyTypeOf<[Tile_Float, Tile_Int, Tile_PtrType], "tile element">;

class Tile_Like<Type elem, string what> :
  AnyTypeOf<[elem, StaticShapeTensorOf<[elem]>], what>;
def Tile_AnyLike : Tile_Like<Tile_Elem, "scalar or tile">;
def Tile_IntLike : Tile_Like<Tile_Int, "integer scalar or tile">;
def Tile_FloatLike : Tile_Like<Tile_Float, "floating point scalar or tile">;
def Tile_PtrLike : Tile_Like<Tile_PtrType, "pointer or tile of pointers">;
def Tile_BoolLike : Tile_Like<I1, "i1 scalar or tile">;
def Tile_Tile : StaticShapeTensorOf<[Tile_Elem]>;

//===----------------------------------------------------------------------===//
// Enums. Numbers are part of the portable form: append, never reorder.
//===----------------------------------------------------------------------===//
class Tile_Enum<string name, string doc, list<I32EnumAttrCase> cases> :
    I32EnumAttr<name, doc, cases> {
  let cppNamespace = "::tz::tile";
  let genSpecializedAttr = 0;
}
class Tile_EnumAttr<EnumInfo info, string mnemo> : EnumAttr<Tile_Dialect, info, mnemo> {
  let assemblyFormat = "$value";
}

def Tile_MathFn : Tile_Enum<"MathFn", "elementary function of one float", [
  I32EnumAttrCase<"exp", 0>, I32EnumAttrCase<"exp2", 1>, I32EnumAttrCase<"log", 2>,
  I32EnumAttrCase<"log2", 3>, I32EnumAttrCase<"sin", 4>, I32EnumAttrCase<"cos", 5>,
  I32EnumAttrCase<"tan", 6>, I32EnumAttrCase<"sqrt", 7>, I32EnumAttrCase<"sqrt_rn", 8>,
  I32EnumAttrCase<"rsqrt", 9>, I32EnumAttrCase<"erf", 10>, I32EnumAttrCase<"tanh", 11>,
  I32EnumAttrCase<"floor", 12>, I32EnumAttrCase<"ceil", 13>, I32EnumAttrCase<"trunc", 14>,
  I32EnumAttrCase<"rint", 15>, I32EnumAttrCase<"abs", 16>, I32EnumAttrCase<"log1p", 17>,
  I32EnumAttrCase<"expm1", 18>]>;
def Tile_MathFnAttr : Tile_EnumAttr<Tile_MathFn, "math_fn">;

def Tile_DivMode : Tile_Enum<"DivMode", "rounding of a float division", [
  I32EnumAttrCase<"approx", 0>, I32EnumAttrCase<"rn", 1>]>;
def Tile_DivModeAttr : Tile_EnumAttr<Tile_DivMode, "div_mode">;

def Tile_Rounding : Tile_Enum<"Rounding", "rounding of a narrowing conversion", [
  I32EnumAttrCase<"rtne", 0>, I32EnumAttrCase<"rtz", 1>]>;
def Tile_RoundingAttr : Tile_EnumAttr<Tile_Rounding, "rounding">;

def Tile_Precision : Tile_Enum<"Precision", "input precision of an f32 dot", [
  I32EnumAttrCase<"ieee", 0>, I32EnumAttrCase<"tf32", 1>, I32EnumAttrCase<"tf32x3", 2>,
  I32EnumAttrCase<"bf16x3", 3>, I32EnumAttrCase<"bf16x6", 4>,
  // "default" is resolved to one of the above by the prepared stage.
  I32EnumAttrCase<"target_default", 5>]>;
def Tile_PrecisionAttr : Tile_EnumAttr<Tile_Precision, "precision">;

def Tile_AtomicKind : Tile_Enum<"AtomicKind", "read-modify-write operation", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"fadd", 1>, I32EnumAttrCase<"max", 2>,
  I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"umax", 4>, I32EnumAttrCase<"umin", 5>,
  I32EnumAttrCase<"fmax", 6>, I32EnumAttrCase<"fmin", 7>, I32EnumAttrCase<"and_", 8, "and">,
  I32EnumAttrCase<"or_", 9, "or">, I32EnumAttrCase<"xor_", 10, "xor">, I32EnumAttrCase<"xchg", 11>]>;
def Tile_AtomicKindAttr : Tile_EnumAttr<Tile_AtomicKind, "atomic_kind">;

def Tile_MemSem : Tile_Enum<"MemSem", "memory order of an atomic", [
  I32EnumAttrCase<"relaxed", 0>, I32EnumAttrCase<"acquire", 1>,
  I32EnumAttrCase<"release", 2>, I32EnumAttrCase<"acq_rel", 3>]>;
def Tile_MemSemAttr : Tile_EnumAttr<Tile_MemSem, "mem_sem">;

def Tile_MemScope : Tile_Enum<"MemScope", "who sees an atomic in order", [
  I32EnumAttrCase<"program", 0>, I32EnumAttrCase<"device", 1>, I32EnumAttrCase<"system", 2>]>;
def Tile_MemScopeAttr : Tile_EnumAttr<Tile_MemScope, "mem_scope">;

def Tile_CacheHint : Tile_Enum<"CacheHint", "cache hint of an access", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"ca", 1>, I32EnumAttrCase<"cg", 2>,
  I32EnumAttrCase<"cv", 3>, I32EnumAttrCase<"cs", 4>, I32EnumAttrCase<"wb", 5>,
  I32EnumAttrCase<"wt", 6>]>;
def Tile_CacheHintAttr : Tile_EnumAttr<Tile_CacheHint, "cache_hint">;

def Tile_Eviction : Tile_Enum<"Eviction", "eviction priority of an access", [
  I32EnumAttrCase<"normal", 0>, I32EnumAttrCase<"evict_first", 1>, I32EnumAttrCase<"evict_last", 2>]>;
def Tile_EvictionAttr : Tile_EnumAttr<Tile_Eviction, "eviction">;

//===----------------------------------------------------------------------===//
// Op base
//===----------------------------------------------------------------------===//
/// `sinceMinor`: the 0.N version of tile IR that introduced the op.
class Tile_Op<string mnemonic, int sinceMinor, list<Trait> traits = []> :
    Op<Tile_Dialect, mnemonic, traits> {
  int since = sinceMinor;
}
class Tile_PureOp<string mnemonic, int sinceMinor, list<Trait> traits = []> :
    Tile_Op<mnemonic, sinceMinor, !listconcat([Pure], traits)>;

#endif // TERRAZZO_IR_TILEBASE_TD
