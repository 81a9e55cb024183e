//===- PortableTest.cpp - the C reader and ours read the same -------------===//
//
// What   Each golden file, read by terrazzo/portable.h, is the kernel that
//        wire::read gives: ops, operands, types, attributes, places. What one
//        refuses the other refuses, with the same words.
// Why    The header is a second reader of one format. A difference is a plugin
//        that compiles another kernel.
//===----------------------------------------------------------------------===//
#include "terrazzo/portable.h"

#include "../wire/Modules.h"

#include "core/wire/Codec.h"

#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <random>

namespace tz::wire {
namespace {

static_assert(unsigned(AttrKind::Unit) == TZP_KIND_UNIT &&
              unsigned(AttrKind::NoFlags) == TZP_KIND_NO_FLAGS &&
              unsigned(AttrKind::MathFn) == TZP_KIND_MATH_FN &&
              unsigned(AttrKind::CmpF) == TZP_KIND_CMP_F);
static_assert(MaxRank == TZP_MAX_RANK && MaxDepth == TZP_MAX_DEPTH &&
              MaxOps == TZP_MAX_OPS && MaxElements == TZP_MAX_ELEMENTS);

struct Freed {
  void operator()(tzp_kernel *kernel) const { tzp_free(kernel); }
};
using Kernel = std::unique_ptr<tzp_kernel, Freed>;

Kernel readInC(const std::string &bytes, std::string &message) {
  char text[512] = "";
  // A copy of the exact size: what lies behind it belongs to somebody else.
  Kernel kernel(tzp_read(bytes.data(), bytes.size(), text, sizeof text));
  message = text;
  return kernel;
}

std::string typeText(const tzp_kernel &kernel, uint32_t type) {
  char text[512];
  tzp_type_text(&kernel, type, text, sizeof text);
  return text;
}

std::string printed(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Walks both forms of a kernel at the same time.
class Comparison {
public:
  explicit Comparison(const tzp_kernel &kernel) : kernel(kernel) {}

  void op(mlir::Operation &ours, uint32_t index) {
    const tzp_op &theirs = kernel.ops[index];
    const std::string name = ours.getName().getStringRef().str();
    ASSERT_EQ(name, theirs.name);
    ASSERT_EQ(ours.getNumOperands(), theirs.num_operands) << name;
    for (unsigned i = 0; i < theirs.num_operands; ++i) {
      EXPECT_EQ(values.lookup(ours.getOperand(i)), theirs.operands[i] + 1)
          << name;
    }
    attributes(ours, theirs);
    location(ours, theirs);
    ASSERT_EQ(ours.getNumRegions(), theirs.num_regions) << name;
    for (unsigned i = 0; i < theirs.num_regions; ++i) {
      region(ours.getRegion(i), index, i);
    }
    ASSERT_EQ(ours.getNumResults(), theirs.num_results) << name;
    for (mlir::OpResult result : ours.getResults()) {
      const uint32_t value = theirs.first_result + result.getResultNumber();
      EXPECT_EQ(kernel.values[value].op, index);
      EXPECT_EQ(kernel.values[value].is_argument, 0);
      define(result, value, result.getResultNumber());
    }
  }

private:
  void define(mlir::Value ours, uint32_t theirs, unsigned index) {
    EXPECT_EQ(typeText(kernel, kernel.values[theirs].type),
              printed(ours.getType()));
    EXPECT_EQ(kernel.values[theirs].index, index);
    values[ours] = theirs + 1;
  }

  void region(mlir::Region &ours, uint32_t op, unsigned number) {
    const tzp_region &theirs = kernel.ops[op].regions[number];
    ASSERT_EQ(ours.empty(), theirs.is_present == 0);
    if (ours.empty()) {
      return;
    }
    ASSERT_EQ(ours.getNumArguments(), theirs.num_arguments);
    for (mlir::BlockArgument argument : ours.getArguments()) {
      const unsigned i = argument.getArgNumber();
      const tzp_value &value = kernel.values[theirs.first_argument + i];
      EXPECT_EQ(value.op, op);
      EXPECT_EQ(value.region, number);
      EXPECT_EQ(value.is_argument, 1);
      define(argument, theirs.first_argument + i, i);
    }
    uint32_t at = theirs.first_op;
    for (mlir::Operation &inner : ours.front()) {
      ASSERT_NE(at, 0u);
      EXPECT_EQ(kernel.ops[at].parent, op);
      this->op(inner, at);
      at = kernel.ops[at].next;
    }
    EXPECT_EQ(at, 0u);
  }

  void attributes(mlir::Operation &ours, const tzp_op &theirs) {
    unsigned there = 0;
    for (mlir::NamedAttribute attr : ours.getAttrs()) {
      const std::string name = attr.getName().str();
      const tzp_attr *value = tzp_find(&kernel, &theirs, name.c_str());
      // Flags that must be clear do not cross.
      if (!value && (name == "overflowFlags" || name == "fastmath")) {
        continue;
      }
      ASSERT_NE(value, nullptr) << theirs.name << " " << name;
      ++there;
      const tzp_named *named =
          llvm::find_if(llvm::ArrayRef(theirs.attrs, theirs.num_attrs),
                        [&](const tzp_named &one) { return name == one.name; });
      attribute(attr.getValue(), *value, named->kind);
    }
    EXPECT_EQ(there, theirs.num_attrs) << theirs.name;
  }

  void attribute(mlir::Attribute ours, const tzp_attr &theirs, uint32_t kind) {
    if (kind >= TZP_KIND_MATH_FN) {
      EXPECT_EQ(enumToNumber(ours, AttrKind(kind)), uint64_t(theirs.number));
      EXPECT_NE(tzp_case(kind, theirs.number), nullptr);
      return;
    }
    switch (theirs.tag) {
    case TZP_ATTR_UNIT:
      EXPECT_TRUE(mlir::isa<mlir::UnitAttr>(ours));
      break;
    case TZP_ATTR_BOOL:
      EXPECT_EQ(mlir::cast<mlir::BoolAttr>(ours).getValue(),
                theirs.number == 1);
      break;
    case TZP_ATTR_INTEGER:
    case TZP_ATTR_FLOAT:
      EXPECT_EQ(typeText(kernel, theirs.type),
                printed(mlir::cast<mlir::TypedAttr>(ours).getType()));
      EXPECT_EQ(bits(ours), theirs.number);
      break;
    case TZP_ATTR_STRING:
      EXPECT_EQ(mlir::cast<mlir::StringAttr>(ours).getValue(),
                llvm::StringRef(theirs.string.data, theirs.string.size));
      break;
    case TZP_ATTR_TYPE:
      EXPECT_EQ(printed(mlir::cast<mlir::TypeAttr>(ours).getValue()),
                typeText(kernel, theirs.type));
      break;
    case TZP_ATTR_I64_ARRAY:
      same(mlir::cast<mlir::DenseI64ArrayAttr>(ours).asArrayRef(), theirs);
      break;
    case TZP_ATTR_I32_ARRAY:
      same(mlir::cast<mlir::DenseI32ArrayAttr>(ours).asArrayRef(), theirs);
      break;
    case TZP_ATTR_BOOL_ARRAY:
      same(mlir::cast<mlir::DenseBoolArrayAttr>(ours).asArrayRef(), theirs);
      break;
    case TZP_ATTR_SPLAT:
    case TZP_ATTR_ELEMENTS: {
      auto elements = mlir::cast<mlir::DenseElementsAttr>(ours);
      EXPECT_EQ(typeText(kernel, theirs.type), printed(elements.getType()));
      EXPECT_EQ(elements.isSplat(), theirs.tag == TZP_ATTR_SPLAT);
      ASSERT_EQ(theirs.size, elements.isSplat() ? 1 : elements.size());
      for (unsigned i = 0; i < theirs.size; ++i) {
        EXPECT_EQ(bits(elements.getValues<mlir::Attribute>()[i]),
                  theirs.values[i]);
      }
      break;
    }
    case TZP_ATTR_LIST: {
      auto list = mlir::cast<mlir::ArrayAttr>(ours);
      ASSERT_EQ(list.size(), theirs.size);
      for (unsigned i = 0; i < theirs.size; ++i) {
        dictionary(mlir::cast<mlir::DictionaryAttr>(list[i]),
                   kernel.attrs[theirs.items[i]]);
      }
      break;
    }
    default:
      FAIL() << "tag " << theirs.tag;
    }
  }

  void dictionary(mlir::DictionaryAttr ours, const tzp_attr &theirs) {
    ASSERT_EQ(ours.size(), theirs.size);
    for (unsigned i = 0; i < theirs.size; ++i) {
      const tzp_named &named = theirs.named[i];
      ASSERT_TRUE(ours.contains(named.name)) << named.name;
      attribute(ours.get(named.name), kernel.attrs[named.value], named.kind);
    }
  }

  template <typename T>
  void same(llvm::ArrayRef<T> ours, const tzp_attr &theirs) {
    EXPECT_TRUE(std::equal(ours.begin(), ours.end(), theirs.values,
                           theirs.values + theirs.size));
  }

  static int64_t bits(mlir::Attribute value) {
    if (auto number = mlir::dyn_cast<mlir::FloatAttr>(value)) {
      return int64_t(number.getValue().bitcastToAPInt().getZExtValue());
    }
    return mlir::cast<mlir::IntegerAttr>(value).getValue().getSExtValue();
  }

  void location(mlir::Operation &ours, const tzp_op &theirs) {
    tzp_str file;
    uint32_t line = 0, column = 0;
    const bool isKnown = tzp_line(&kernel, &theirs, &file, &line, &column);
    mlir::LocationAttr at = ours.getLoc();
    while (at && !mlir::isa<mlir::FileLineColRange>(at)) {
      if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(at)) {
        at = call.getCallee();
      } else if (auto name = mlir::dyn_cast<mlir::NameLoc>(at)) {
        at = name.getChildLoc();
      } else if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(at);
                 fused && !fused.getLocations().empty()) {
        at = fused.getLocations().front();
      } else {
        at = nullptr;
      }
    }
    ASSERT_EQ(bool(at), isKnown) << theirs.name;
    if (at) {
      auto place = mlir::cast<mlir::FileLineColRange>(at);
      EXPECT_EQ(place.getFilename().getValue(),
                llvm::StringRef(file.data, file.size));
      EXPECT_EQ(place.getStartLine(), line);
      EXPECT_EQ(place.getStartColumn(), column);
    }
  }

  const tzp_kernel &kernel;
  llvm::DenseMap<mlir::Value, uint32_t> values; // + 1
};

void compare(const std::string &bytes) {
  mlir::MLIRContext context;
  auto module = read(bytes, context);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  std::string message;
  Kernel kernel = readInC(bytes, message);
  ASSERT_TRUE(kernel) << message;
  EXPECT_EQ(message, "");
  EXPECT_EQ(kernel->is_prepared != 0, inspect(bytes)->stage == Stage::Prepared);
  Comparison(*kernel).op(module->get().getBody()->front(), 0);
  EXPECT_EQ(tzp_body(kernel.get()), kernel->ops[0].regions[0].first_op);
}

TEST(Portable, GoldensAreTheSameKernels) {
  for (const std::string &name : goldenNames()) {
    SCOPED_TRACE(name);
    compare(slurp(GoldenFolder + "/" + name + ".tzir"));
    // The committed files have no locations.
    mlir::MLIRContext context;
    auto module = parse(slurp(GoldenFolder + "/" + name + ".mlir"), context);
    WriteOptions options;
    options.stage = Stage::Prepared;
    compare(written(*module, options));
  }
}

TEST(Portable, LocationsOfAllKinds) {
  mlir::MLIRContext context;
  auto module = parse(
      "tile.kernel @k(%n: i32) {\n"
      "  %0 = arith.addi %n, %n : i32 loc(callsite(\"lib.py\":3:4 at "
      "\"k.py\":12:7))\n"
      "  %1 = arith.addi %n, %n : i32 loc(\"name\"(\"k.py\":12:1 to :9))\n"
      "  %2 = arith.addi %n, %n : i32 loc(fused[\"k.py\":14:1, "
      "\"k.py\":15:1])\n"
      "  %3 = arith.addi %n, %n : i32 loc(unknown)\n"
      "  tile.return loc(\"k.py\":16:1 to 17:3)\n} loc(\"k.py\":10:1)\n",
      context);
  ASSERT_TRUE(module);
  compare(written(*module));
}

/// Both readers on one input; whether it was taken.
bool agree(const std::string &bytes) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const std::string ours = messageOf(read(bytes, context));
  std::string theirs;
  Kernel kernel = readInC(bytes, theirs);
  // The rules of ops are the verifier's, and it is not in the header.
  if (ours.empty() ||
      llvm::StringRef(ours).starts_with("portable file: not valid tile IR: ")) {
    EXPECT_TRUE(kernel) << theirs << " | " << ours;
    return bool(kernel);
  }
  EXPECT_FALSE(kernel) << ours;
  // Ours adds what the check of a type says.
  EXPECT_TRUE(llvm::StringRef(ours).starts_with(theirs))
      << theirs << " | " << ours;
  EXPECT_NE(theirs, "");
  return false;
}

std::vector<std::string> goldens() {
  std::vector<std::string> files;
  for (const std::string &name : goldenNames()) {
    mlir::MLIRContext context;
    auto module = parse(slurp(GoldenFolder + "/" + name + ".mlir"), context);
    files.push_back(slurp(GoldenFolder + "/" + name + ".tzir"));
    files.push_back(written(*module)); // with locations
  }
  return files;
}

void setSize(std::string &bytes) {
  for (unsigned i = 0; i < 8; ++i) {
    bytes[16 + i] = char(uint64_t(bytes.size()) >> (8 * i));
  }
}

TEST(Damaged, CutFilesAreRefusedInTheSameWords) {
  for (const std::string &file : goldens()) {
    for (size_t size = 0; size < file.size(); size += size < 96 ? 1 : 17) {
      std::string cut = file.substr(0, size);
      ASSERT_FALSE(agree(cut)) << size;
      if (size >= 64) {
        setSize(cut);
        rehash(cut);
        ASSERT_FALSE(agree(cut)) << size;
      }
    }
  }
}

TEST(Damaged, MutantsAreReadOrRefusedAlike) {
  std::mt19937 random(3);
  unsigned accepted = 0, rejected = 0;
  for (const std::string &file : goldens()) {
    for (int i = 0; i < 1500; ++i) {
      std::string mutant = file;
      for (unsigned n = 1 + random() % 3; n > 0; --n) {
        const size_t at = random() % 8 ? 64 + random() % (file.size() - 64)
                                       : 8 + random() % 24;
        mutant[at] = random() % 2 ? char(random())
                                  : char(mutant[at] ^ (1 << (random() % 8)));
      }
      if (random() % 16) {
        rehash(mutant);
      }
      (agree(mutant) ? accepted : rejected) += 1;
      ASSERT_FALSE(HasFailure()) << "mutant " << i;
    }
  }
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(rejected, 1000u);
}

TEST(Text, IsCutWhereItsRoomEnds) {
  std::string message;
  Kernel kernel = readInC(slurp(GoldenFolder + "/memory.tzir"), message);
  ASSERT_TRUE(kernel) << message;
  for (uint32_t type = 0; type < kernel->num_types; ++type) {
    const std::string whole = typeText(*kernel, type);
    for (size_t size = 1; size <= whole.size(); ++size) {
      std::vector<char> text(size, 'x');
      tzp_type_text(kernel.get(), type, text.data(), size);
      EXPECT_EQ(std::string(text.data()), whole.substr(0, size - 1));
    }
  }
  char one = 'x';
  tzp_type_text(kernel.get(), 0, &one, 0);
  EXPECT_EQ(one, 'x');
  // A message has the room that it is given, too.
  char why[8];
  EXPECT_EQ(tzp_read("nothing", 7, why, sizeof why), nullptr);
  EXPECT_STREQ(why, "not a p");
}

} // namespace
} // namespace tz::wire
