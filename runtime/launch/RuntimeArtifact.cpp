//===- RuntimeArtifact.cpp - copy and check what a compiler half returned -===//
//
// What   tz_artifact to Artifact, with every size and index checked.
// Why    After verify() the launch path needs no check of the plan's shape.
//===----------------------------------------------------------------------===//
#include "runtime/launch/RuntimeArtifact.h"

#include "runtime/launch/PlanEvaluator.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tz::runtime {

namespace {

constexpr size_t MaxBlobs = 256, MaxVariants = 256, MaxArgs = 4096,
                 MaxSites = 65536, MaxBlobBytes = size_t(1) << 31;

Status bad(std::string what) {
  return Status(TZ_E_INTERNAL, "malformed artifact: " + std::move(what));
}

/// Pointer arrays from a plugin: a count without a pointer is refused.
template <typename T>
bool present(const T *data, size_t count, size_t limit) {
  return count <= limit && (count == 0 || data != nullptr);
}

bool copyExpr(const tz_expr &from, Expr &to) {
  if (!present(from.steps, from.num_steps, TZ_EXPR_MAX_STEPS)) {
    return false;
  }
  if (from.num_steps) {
    to.assign(from.steps, from.steps + from.num_steps);
  }
  return true;
}

/// The struct as this host knows it; fields the plugin's struct lacks are zero.
template <typename T>
bool readStruct(const T *from, size_t least, T &to) {
  to = T{};
  if (!from || from->struct_size < least) {
    return false;
  }
  std::memcpy(&to, from, std::min(sizeof(T), from->struct_size));
  return true;
}

Status copyView(const tz_view_info *from, ViewInfo &to) {
  tz_view_info v;
  if (!readStruct(from, TZ_SIZE_UPTO(tz_view_info, strides), v)) {
    return bad("a tensor view argument without its description");
  }
  if (v.rank == 0 || v.rank > TZ_VIEW_MAX_RANK || !v.dims || !v.strides) {
    return bad("a tensor view of rank " + std::to_string(v.rank));
  }
  to.baseArg = v.base_arg;
  to.elementBits = v.element_bits;
  to.flags = v.flags;
  to.dims.resize(v.rank);
  to.strides.resize(v.rank);
  bool fine = copyExpr(v.byte_offset, to.byteOffset);
  for (uint32_t i = 0; i < v.rank; ++i) {
    fine = fine && copyExpr(v.dims[i], to.dims[i]) &&
           copyExpr(v.strides[i], to.strides[i]);
  }
  return fine ? Status() : bad("an expression of a tensor view is too long");
}

Status copyArg(const tz_arg_info *from, ArgInfo &to) {
  tz_arg_info a;
  if (!readStruct(from, TZ_SIZE_UPTO(tz_arg_info, view), a)) {
    return bad("an argument description is missing or too short");
  }
  to.name = view(a.name);
  to.kind = a.kind;
  to.index = a.index;
  to.type = a.type;
  to.size = a.size;
  to.align = a.align;
  to.offset = a.offset;
  to.flags = a.flags;
  return a.kind == TZ_ARG_TENSOR_VIEW ? copyView(a.view, to.view) : Status();
}

Status copyVariant(const tz_kernel_info *from, Variant &to) {
  tz_kernel_info k;
  if (!readStruct(from, TZ_SIZE_UPTO(tz_kernel_info, dyn_scratch), k)) {
    return bad("a kernel description is missing or too short");
  }
  to.name = view(k.name);
  bool fine = copyExpr(k.guard, to.guard) &&
              copyExpr(k.workspace_bytes, to.workspaceBytes);
  for (int i = 0; i < 3; ++i) {
    fine = fine && copyExpr(k.grid[i], to.grid[i]);
    to.block[i] = k.block[i];
    to.cluster[i] = k.cluster[i];
  }
  if (!fine) {
    return bad("an expression of kernel '" + to.name + "' is too long");
  }
  to.workspaceAlign = k.workspace_align;
  to.workspaceZero = k.workspace_zero;
  to.argBytes = k.arg_bytes;
  to.flags = k.flags;
  to.regs = k.regs;
  to.spillBytes = k.spill_bytes;
  to.staticScratch = k.static_scratch;
  to.dynScratch = k.dyn_scratch;
  if (!present(k.args, k.num_args, MaxArgs)) {
    return bad("the argument list of kernel '" + to.name + "'");
  }
  to.args.resize(k.num_args);
  for (size_t i = 0; i < k.num_args; ++i) {
    if (Status s = copyArg(k.args[i], to.args[i]); !s.ok()) {
      return s;
    }
  }
  return Status();
}

Status copySite(const tz_log_site *from, LogSite &to) {
  tz_log_site s;
  if (!readStruct(from, TZ_SIZE_UPTO(tz_log_site, num_values), s)) {
    return bad("a log site is missing or too short");
  }
  to.kind = s.kind;
  to.flags = s.flags;
  to.line = s.line;
  to.col = s.col;
  to.text = view(s.text);
  to.file = view(s.file);
  to.function = view(s.function);
  if (!present(s.values, s.num_values, 1024)) {
    return bad("the values of a log site");
  }
  for (size_t i = 0; i < s.num_values; ++i) {
    const tz_log_value &v = s.values[i];
    if (!present(v.shape, v.rank, 16)) {
      return bad("the shape of a logged value");
    }
    LogValue value;
    value.type = v.type;
    if (v.rank) {
      value.shape.assign(v.shape, v.shape + v.rank);
    }
    to.values.push_back(std::move(value));
  }
  return Status();
}

KeyValue copyKeyValue(const tz_kv &kv) {
  KeyValue to;
  to.key = view(kv.key);
  to.kind = kv.kind;
  to.i64 = kv.i64;
  to.f64 = kv.f64;
  to.str = view(kv.str);
  return to;
}

bool isPowerOfTwo(uint32_t v) { return v && !(v & (v - 1)); }

} // namespace

Result<Artifact> Artifact::copy(const tz_artifact &from) {
  tz_artifact a;
  if (!readStruct(&from, TZ_SIZE_UPTO(tz_artifact, num_kernels), a)) {
    return bad("the structure is too short");
  }
  Artifact to;
  if (!present(a.blobs, a.num_blobs, MaxBlobs) ||
      !present(a.kernels, a.num_kernels, MaxVariants) ||
      !present(a.log_sites, a.num_log_sites, MaxSites) ||
      !present(a.metadata, a.num_metadata, MaxArgs)) {
    return bad("a list with a count and no elements, or with too many");
  }
  to.compat = view(a.compat);
  for (size_t i = 0; i < a.num_blobs; ++i) {
    const tz_blob &b = a.blobs[i];
    if (b.bytes.size > MaxBlobBytes || (b.bytes.size && !b.bytes.data)) {
      return bad("a blob without data or above 2 GiB");
    }
    to.blobs.push_back(
        {std::string(view(b.name)), std::string(view(b.format)),
         std::string(static_cast<const char *>(b.bytes.data), b.bytes.size)});
  }
  to.variants.resize(a.num_kernels);
  for (size_t i = 0; i < a.num_kernels; ++i) {
    if (Status s = copyVariant(a.kernels[i], to.variants[i]); !s.ok()) {
      return s;
    }
  }
  to.logSites.resize(a.num_log_sites);
  for (size_t i = 0; i < a.num_log_sites; ++i) {
    if (Status s = copySite(a.log_sites[i], to.logSites[i]); !s.ok()) {
      return s;
    }
  }
  for (size_t i = 0; i < a.num_metadata; ++i) {
    to.metadata.push_back(copyKeyValue(a.metadata[i]));
  }
  if (Status s = to.verify(); !s.ok()) {
    return s;
  }
  return to;
}

/// The size a slot of this kind must have; 0: any.
static uint32_t slotSize(const ArgInfo &arg) {
  switch (arg.kind) {
  case TZ_ARG_USER:
    return typeSize(arg.type);
  case TZ_ARG_WORKSPACE:
  case TZ_ARG_LOG:
  case TZ_ARG_TICKET:
    return 8;
  case TZ_ARG_LOGICAL_GRID:
    return arg.size == 4 ? 4 : 8;
  default:
    return 0;
  }
}

static Status verifyArg(const Variant &v, const ArgInfo &arg) {
  std::string where = "argument '" + arg.name + "' of kernel '" + v.name + "' ";
  if (arg.kind < TZ_ARG_USER || arg.kind > TZ_ARG_TICKET) {
    return bad(where + "has unknown kind " + std::to_string(arg.kind));
  }
  if (!isPowerOfTwo(arg.align) || arg.align > 128 || arg.offset % arg.align ||
      arg.size == 0 || arg.size > v.argBytes ||
      arg.offset > v.argBytes - arg.size) {
    return bad(where + "does not lie in the argument buffer");
  }
  if (arg.kind == TZ_ARG_USER && typeSize(arg.type) == 0) {
    return bad(where + "has unknown type " + std::to_string(arg.type));
  }
  if (uint32_t size = slotSize(arg); size && size != arg.size) {
    return bad(where + "has the wrong size for its kind");
  }
  if (arg.kind == TZ_ARG_LOGICAL_GRID && arg.index > 2) {
    return bad(where + "names a grid axis above 2");
  }
  if (arg.kind != TZ_ARG_TENSOR_VIEW) {
    return Status();
  }
  bool fine = arg.view.byteOffset.empty() || isWellFormed(arg.view.byteOffset);
  for (const Expr &e : arg.view.dims) {
    fine = fine && isWellFormed(e);
  }
  for (const Expr &e : arg.view.strides) {
    fine = fine && isWellFormed(e);
  }
  fine = fine && !arg.view.dims.empty() &&
         arg.view.dims.size() == arg.view.strides.size() &&
         arg.view.dims.size() <= TZ_VIEW_MAX_RANK;
  return fine ? Status() : bad(where + "has a malformed view");
}

static Status verifyVariant(const Variant &v, bool last) {
  std::string where = "kernel '" + v.name + "' ";
  if (v.name.empty()) {
    return bad("a kernel without a name");
  }
  if (v.argBytes > MaxArgBytes) {
    return bad(where + "wants more than 64 KiB of arguments");
  }
  if (last && !v.guard.empty()) {
    return bad(where + "is the last variant and has a guard");
  }
  bool fine = v.guard.empty() || isWellFormed(v.guard);
  for (const Expr &e : v.grid) {
    fine = fine && (e.empty() || isWellFormed(e));
  }
  fine = fine && (v.workspaceBytes.empty() || isWellFormed(v.workspaceBytes));
  if (!fine) {
    return bad(where + "has a malformed expression");
  }
  if (v.workspaceAlign &&
      (!isPowerOfTwo(v.workspaceAlign) || v.workspaceAlign > (1u << 21))) {
    return bad(where + "wants a workspace alignment that is no power of two");
  }
  if (v.workspaceZero > TZ_ZERO_EACH) {
    return bad(where + "has an unknown workspace mode");
  }
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
  for (const ArgInfo &arg : v.args) {
    if (Status s = verifyArg(v, arg); !s.ok()) {
      return s;
    }
    ranges.emplace_back(arg.offset, arg.size);
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i - 1].first + ranges[i - 1].second > ranges[i].first) {
      return bad(where + "has overlapping arguments");
    }
  }
  return Status();
}

/// The parts of a tuple or descriptor; none of a leaf.
static bool isWellFormed(const ArgumentSpec &spec) {
  const size_t rank = spec.block.size(), parts = spec.items.size();
  bool fine = parts == 0 && spec.kind < ArgumentSpec::Tuple;
  if (spec.kind == ArgumentSpec::Tuple) {
    fine = spec.fields.empty() || spec.fields.size() == parts;
  } else if (spec.kind == ArgumentSpec::Descriptor) {
    fine = rank >= 1 && rank <= TZ_VIEW_MAX_RANK && parts == 1 + 2 * rank &&
           std::all_of(spec.items.begin(), spec.items.end(),
                       [](const ArgumentSpec &part) { return part.isLeaf(); });
  }
  return fine && std::all_of(spec.items.begin(), spec.items.end(),
                             [](const ArgumentSpec &part) {
                               return isWellFormed(part);
                             });
}

Status Artifact::verify() const {
  if (variants.empty()) {
    return bad("no kernel in it");
  }
  for (const SpecializedParameter &parameter : parameters) {
    if (!isWellFormed(parameter.spec)) {
      return bad("the parts of parameter '" + parameter.name + "'");
    }
  }
  for (size_t i = 0; i < variants.size(); ++i) {
    if (Status s = verifyVariant(variants[i], i + 1 == variants.size());
        !s.ok()) {
      return s;
    }
  }
  for (const LogSite &site : logSites) {
    if (site.kind < TZ_LOG_PRINT || site.kind > TZ_LOG_PART) {
      return bad("a log site of unknown kind");
    }
    for (const LogValue &value : site.values) {
      if (typeSize(value.type) == 0) {
        return bad("a logged value of unknown type");
      }
    }
  }
  // User indices can be checked once the driver has said how many there are.
  for (const Variant &v : variants) {
    for (const ArgInfo &arg : v.args) {
      uint32_t index = arg.kind == TZ_ARG_USER          ? arg.index
                       : arg.kind == TZ_ARG_TENSOR_VIEW ? arg.view.baseArg
                                                        : 0;
      bool user = arg.kind == TZ_ARG_USER || arg.kind == TZ_ARG_TENSOR_VIEW;
      if (user && !userTypes.empty() && index >= userTypes.size() &&
          (arg.kind != TZ_ARG_USER || arg.type != TZ_TYPE_I64 ||
           index >= (1 + MostFacts) * userTypes.size() ||
           !arrayFact(arg.name))) {
        return bad("argument '" + arg.name + "' names user argument " +
                   std::to_string(index) + " of " +
                   std::to_string(userTypes.size()));
      }
    }
  }
  size_t numLeaves = leafNames().size();
  for (uint32_t index : userLeaves) {
    if (!parameters.empty() && index >= numLeaves) {
      return bad("a user argument of leaf " + std::to_string(index));
    }
  }
  if (userTypes.size() != userLeaves.size()) {
    return bad("the lists of user arguments differ in length");
  }
  return Status();
}

/// A digit behind ':' at the end, which is taken away; 0: there is none.
static uint32_t takeDigit(std::string_view &name) {
  if (name.size() < 3 || name[name.size() - 2] != ':' || name.back() < '1' ||
      name.back() > '8') {
    return 0;
  }
  const auto digit = uint32_t(name.back() - '0');
  name.remove_suffix(2);
  return digit;
}

std::optional<ArrayFact> parseArrayFact(std::string_view name) {
  static constexpr std::pair<std::string_view, ArrayFact::Kind> kinds[] = {
      {".begin", ArrayFact::Begin},
      {".end", ArrayFact::End},
      {".written", ArrayFact::Written},
      {".race", ArrayFact::Races},
      {".reads", ArrayFact::Reads}};
  ArrayFact fact;
  fact.planes = takeDigit(name);
  fact.granule = fact.planes ? takeDigit(name) : 1;
  for (auto [ending, kind] : kinds) {
    const bool hasShape = kind == ArrayFact::Races || kind == ArrayFact::Reads;
    if (name.ends_with(ending) && hasShape == (fact.planes != 0) &&
        std::has_single_bit(fact.granule)) {
      fact.kind = kind;
      fact.array = name.substr(0, name.size() - ending.size());
      return fact;
    }
  }
  return std::nullopt;
}

std::optional<ArrayFact> Artifact::arrayFact(std::string_view name) const {
  std::optional<ArrayFact> fact = parseArrayFact(name);
  if (!fact) {
    return std::nullopt;
  }
  const std::vector<std::string> names = leafNames();
  for (size_t i = 0; i < userLeaves.size(); ++i) {
    if (userTypes[i] == TZ_TYPE_PTR && userLeaves[i] < names.size() &&
        names[userLeaves[i]] == fact->array) {
      fact->argument = uint32_t(i);
      return fact;
    }
  }
  return std::nullopt;
}

bool ArgumentSpec::hasRuntime() const {
  return kind == Runtime ||
         std::any_of(items.begin(), items.end(), [](const ArgumentSpec &item) {
           return item.hasRuntime();
         });
}

bool ArgumentSpec::operator==(const ArgumentSpec &o) const {
  return kind == o.kind && type == o.type && element == o.element &&
         equalsOne == o.equalsOne && sharesAddress == o.sharesAddress &&
         divisor == o.divisor && constant.kind == o.constant.kind &&
         constant.i64 == o.constant.i64 && constant.f64 == o.constant.f64 &&
         constant.str == o.constant.str && items == o.items &&
         fields == o.fields && block == o.block && padsWithNaN == o.padsWithNaN;
}

void addLeaves(std::vector<Leaf> &leaves, ArgumentSpec &spec,
               const std::string &name, uint32_t parameter) {
  if (spec.isLeaf()) {
    leaves.push_back({name, &spec, parameter});
    return;
  }
  size_t rank = spec.block.size();
  for (size_t i = 0; i < spec.items.size(); ++i) {
    std::string part;
    if (spec.kind == ArgumentSpec::Tuple) {
      part =
          "." + (i < spec.fields.size() ? spec.fields[i] : std::to_string(i));
    } else if (i > 0) {
      part = i <= rank ? ".shape" + std::to_string(i - 1)
                       : ".stride" + std::to_string(i - 1 - rank);
    }
    addLeaves(leaves, spec.items[i], name + part, parameter);
  }
}

std::vector<std::string> Artifact::leafNames() const {
  std::vector<Leaf> leaves;
  for (size_t i = 0; i < parameters.size(); ++i) {
    // Names are only read; one function for both needs the cast.
    addLeaves(leaves, const_cast<ArgumentSpec &>(parameters[i].spec),
              parameters[i].name, uint32_t(i));
  }
  std::vector<std::string> names;
  for (Leaf &leaf : leaves) {
    names.push_back(std::move(leaf.name));
  }
  return names;
}

const Blob *Artifact::findBlob(std::string_view name) const {
  for (const Blob &blob : blobs) {
    if (blob.name == name) {
      return &blob;
    }
  }
  return nullptr;
}

} // namespace tz::runtime
