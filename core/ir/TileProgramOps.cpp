//===- TileProgramOps.cpp - kernel, ids, hints, print, assert -------------===//
//
// What   Parsing, printing and the numbered constraints of TileProgramOps.td.
//
//===----------------------------------------------------------------------===//
#include "terrazzo/ir/Tile.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tz::tile;

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     FunctionType type, ArrayRef<DictionaryAttr> argAttrs) {
  state.addAttribute(SymbolTable::getSymbolAttrName(),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  Region *body = state.addRegion();
  Block *entry = new Block();
  body->push_back(entry);
  for (Type input : type.getInputs()) {
    entry->addArgument(input, state.location);
  }
  if (argAttrs.empty()) {
    return;
  }
  call_interface_impl::addArgAndResultAttrs(
      builder, state, argAttrs, /*resultAttrs=*/{},
      getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> args,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(args, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult KernelOp::verify() {
  Block &entry = getBody().front();
  if (entry.empty() || !isa<ReturnOp>(entry.back())) {
    return emitOpError("C1: the body must end in tile.return");
  }
  if (!getFunctionType().getResults().empty()) {
    return emitOpError("C2: a kernel has no results");
  }
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    if (!type.isIntOrFloat() && !isa<PtrType>(type)) {
      return emitOpError("C2: argument ")
             << index << " has type " << type
             << "; integers, floats and !tile.ptr are allowed";
    }
  }
  return success();
}

std::string KernelOp::getArgName(unsigned i) {
  if (auto name = getArgAttrOfType<StringAttr>(i, "tile.name")) {
    return name.str();
  }
  return "arg" + std::to_string(i);
}

static LogicalResult verifyAxis(Operation *op, uint32_t axis) {
  if (axis > 2) {
    return op->emitOpError("C1: axis is ")
           << axis << "; the grid has axes 0, 1 and 2";
  }
  return success();
}

LogicalResult ProgramIdOp::verify() { return verifyAxis(*this, getAxis()); }
LogicalResult NumProgramsOp::verify() { return verifyAxis(*this, getAxis()); }

LogicalResult HintOp::verify() {
  size_t expected = std::max<size_t>(1, shapeOf(getSource().getType()).size());
  for (auto list : {getDivisibility(), getContiguity(), getConstancy()}) {
    if (!list) {
      continue;
    }
    if (list->size() != expected ||
        llvm::any_of(*list, [](int64_t v) { return v <= 0; })) {
      return emitOpError("C1: a hint needs ")
             << expected << " positive number" << (expected == 1 ? "" : "s");
    }
  }
  return success();
}

LogicalResult PrintOp::verify() {
  if (getIsSigned().size() != getArgs().size()) {
    return emitOpError("C1: isSigned needs one entry per argument");
  }
  return success();
}

LogicalResult RecordOp::verify() {
  if (getPart().empty()) {
    return emitOpError("C1: the part needs a name");
  }
  if (!getEnd() && !getDone().empty()) {
    return emitOpError("C2: only an end has values");
  }
  return success();
}

LogicalResult AssertOp::verify() {
  if (getMask() && getMask().getType() != getCondition().getType()) {
    return emitOpError("C1: the mask must have the condition's type");
  }
  return success();
}

#define GET_OP_CLASSES
#include "terrazzo/ir/TileProgramOps.cpp.inc"
