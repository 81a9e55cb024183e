//===- Translate.cpp - a kernel as instructions ---------------------------===//
//
// What   Gives every value a slot and every op its handler.
// Why    What cannot be run (an op outside tile IR, nesting without end) is an
//        error before the first program starts, with its location.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/AddressArithmetic.h"

#include "mlir/IR/Location.h"

using namespace mlir;

namespace tz::interpreter {

static const HandlerTable &handlers() {
  static const HandlerTable table = [] {
    HandlerTable made;
    addIntegerHandlers(made);
    addFloatHandlers(made);
    addMathHandlers(made);
    addConversionHandlers(made);
    addShapeHandlers(made);
    addCombineHandlers(made);
    addMatrixHandlers(made);
    addMemoryHandlers(made);
    addAtomicHandlers(made);
    addControlHandlers(made);
    addProgramHandlers(made);
    return made;
  }();
  return table;
}

std::string describe(Location location) {
  std::string text;
  // Call sites and names wrap a location; a fused one is its first part.
  std::string callers;
  for (unsigned depth = 0; depth < 64; ++depth) {
    if (auto file = dyn_cast<FileLineColLoc>(location)) {
      text =
          (file.getFilename().strref() + ":" + std::to_string(file.getLine()) +
           ":" + std::to_string(file.getColumn()))
              .str();
      break;
    }
    if (auto call = dyn_cast<CallSiteLoc>(location)) {
      if (auto caller = dyn_cast<FileLineColLoc>(call.getCaller())) {
        callers += (", called from " + caller.getFilename().strref() + ":" +
                    std::to_string(caller.getLine()) + ":" +
                    std::to_string(caller.getColumn()))
                       .str();
      }
      location = call.getCallee();
    } else if (auto name = dyn_cast<NameLoc>(location)) {
      location = name.getChildLoc();
    } else if (auto fused = dyn_cast<FusedLoc>(location);
               fused && !fused.getLocations().empty()) {
      location = fused.getLocations().front();
    } else {
      break;
    }
  }
  return (text.empty() ? "unknown location" : text) + callers;
}

namespace {

class Translator {
public:
  explicit Translator(tile::KernelOp kernel)
      : addresses(findAddressArithmetic(kernel)) {}
  llvm::Expected<Code> translate(Block &block, unsigned depth);
  SlotMap takeSlots() { return std::move(slots); }

private:
  uint32_t slotOf(Value value) {
    return slots.try_emplace(value, uint32_t(slots.size())).first->second;
  }
  llvm::Error error(Operation *op, const llvm::Twine &message) {
    return llvm::createStringError(describe(op->getLoc()) + ": " + message);
  }
  llvm::Expected<Instruction> translate(Operation &op, unsigned depth);
  llvm::Error setConstant(arith::ConstantOp op, Instruction &in);

  AddressArithmetic addresses;
  SlotMap slots;
  uint32_t operations = 0;
};

/// Deepest nesting of regions; C++ recursion follows it.
constexpr unsigned MaxDepth = 256;

std::optional<uint64_t> constantBits(Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    return integer.getValue().getZExtValue();
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    return number.getValue().bitcastToAPInt().getZExtValue();
  }
  return std::nullopt;
}

llvm::Error Translator::setConstant(arith::ConstantOp op, Instruction &in) {
  Attribute value = op.getValue();
  if (std::optional<uint64_t> bits = constantBits(value)) {
    in.constant = fromIntegers(in.resultKind, {*bits});
    return llvm::Error::success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense) {
    return error(op, "a constant must be a number or a dense tile");
  }
  in.constant = TileValue(in.resultKind, dense.getNumElements());
  int64_t index = 0;
  if (isa<FloatType>(dense.getElementType())) {
    for (const APFloat &number : dense.getValues<APFloat>()) {
      in.constant.setBits(index++, number.bitcastToAPInt().getZExtValue());
    }
  } else {
    for (const APInt &number : dense.getValues<APInt>()) {
      in.constant.setBits(index++, number.getZExtValue());
    }
  }
  return llvm::Error::success();
}

llvm::Expected<Instruction> Translator::translate(Operation &op,
                                                  unsigned depth) {
  Instruction in;
  in.op = &op;
  in.number = ++operations;
  in.mustNotWrap = addresses.lookup(&op);
  in.handler = handlers().lookup(op.getName().getStringRef());
  if (!in.handler) {
    return error(&op, "'" + op.getName().getStringRef() +
                          "' is not an op of tile IR");
  }
  for (Value operand : op.getOperands()) {
    in.operands.push_back(slotOf(operand));
  }
  for (Value result : op.getResults()) {
    std::optional<Kind> kind = kindOf(result.getType());
    if (!kind) {
      return error(&op, "tile IR has no values of this result's type");
    }
    if (in.results.empty()) {
      in.resultKind = *kind;
    }
    in.results.push_back(slotOf(result));
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (llvm::Error failure = setConstant(constant, in)) {
      return failure;
    }
  }
  for (Region &region : op.getRegions()) {
    if (region.empty()) { // scf.if without else
      in.regions.emplace_back();
      continue;
    }
    if (!llvm::hasSingleElement(region)) {
      return error(&op, "a region has more than one block");
    }
    llvm::Expected<Code> code = translate(region.front(), depth + 1);
    if (!code) {
      return code.takeError();
    }
    in.regions.push_back(std::move(*code));
  }
  return in;
}

llvm::Expected<Code> Translator::translate(Block &block, unsigned depth) {
  if (depth > MaxDepth) {
    return error(block.getParentOp(), "regions are nested too deeply");
  }
  Code code;
  code.block = &block;
  for (Value argument : block.getArguments()) {
    code.arguments.push_back(slotOf(argument));
  }
  for (Operation &op : block) {
    if (isa<scf::YieldOp, scf::ConditionOp, tile::YieldOp, tile::ReturnOp>(
            op)) {
      for (Value operand : op.getOperands()) {
        code.yields.push_back(slotOf(operand));
      }
      continue;
    }
    llvm::Expected<Instruction> in = translate(op, depth);
    if (!in) {
      return in.takeError();
    }
    code.isStraightLine = code.isStraightLine && in->regions.empty();
    code.body.push_back(std::move(*in));
  }
  return code;
}

} // namespace

llvm::Expected<Code> translate(tile::KernelOp kernel, SlotMap &slots) {
  Translator translator(kernel);
  llvm::Expected<Code> code = translator.translate(kernel.getBody().front(), 0);
  slots = translator.takeSlots();
  return code;
}

} // namespace tz::interpreter
