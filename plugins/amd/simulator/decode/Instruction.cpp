//===- Instruction.cpp - reads the text of an instruction -----------------===//
//
// What   See Instruction.h. A text is a name, operands and modifiers.
// Why    Brackets and parentheses hold commas and blanks, so a text is cut into
//        pieces before it is read.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/decode/Instruction.h"

#include "terrazzo/plugin/Error.h"

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace tz::amd::sim {

namespace {

/// Pieces of a text between blanks and commas outside of brackets.
std::vector<std::string> cut(std::string_view text) {
  std::vector<std::string> pieces(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '[' || c == '(';
    depth -= c == ']' || c == ')';
    if (depth == 0 && (c == ' ' || c == ',' || c == '\t')) {
      if (!pieces.back().empty()) {
        pieces.emplace_back();
      }
    } else if (c != ' ') {
      pieces.back() += c;
    }
  }
  if (pieces.back().empty()) {
    pieces.pop_back();
  }
  return pieces;
}

std::optional<int64_t> readInteger(std::string_view text) {
  const bool isNegative = text.starts_with('-');
  if (isNegative) {
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return isNegative ? -int64_t(value) : int64_t(value);
}

struct NamedScalar {
  std::string_view name;
  uint16_t index;
  uint8_t dwords;
};
constexpr NamedScalar NamedScalars[] = {
    {"vcc", scalar::Vcc, 2},
    {"vcc_lo", scalar::Vcc, 1},
    {"vcc_hi", scalar::Vcc + 1, 1},
    {"exec", scalar::Exec, 2},
    {"exec_lo", scalar::Exec, 1},
    {"exec_hi", scalar::Exec + 1, 1},
    {"m0", scalar::M0, 1},
    {"null", scalar::Null, 1},
    {"scc", scalar::Scc, 1},
    {"src_scc", scalar::Scc, 1},
    {"src_vccz", scalar::Vccz, 1},
    {"src_execz", scalar::Execz, 1},
    {"flat_scratch", scalar::FlatScratch, 2},
    {"flat_scratch_lo", scalar::FlatScratch, 1},
    {"flat_scratch_hi", scalar::FlatScratch + 1, 1},
    {"xnack_mask", scalar::XnackMask, 2},
    {"xnack_mask_lo", scalar::XnackMask, 1},
    {"xnack_mask_hi", scalar::XnackMask + 1, 1},
    {"src_shared_base", scalar::SharedBase, 2},
    {"src_shared_limit", scalar::SharedLimit, 2},
    {"src_private_base", scalar::PrivateBase, 2},
    {"src_private_limit", scalar::PrivateLimit, 2},
};

/// "3" or "[3:6]" behind the letter of a register.
bool readRange(std::string_view text, Operand &out) {
  if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
    const size_t colon = text.find(':');
    auto first = readInteger(text.substr(0, colon));
    auto last =
        colon == text.npos ? first : readInteger(text.substr(colon + 1));
    if (!first || !last || *last < *first || *last > 255) {
      return false;
    }
    out.index = uint16_t(*first);
    out.dwords = uint8_t(*last - *first + 1);
    return true;
  }
  if (text.ends_with(".l") || text.ends_with(".h")) {
    out.half = text.back() == 'h';
    text.remove_suffix(2);
  }
  auto index = readInteger(text);
  if (!index || *index < 0 || *index > 255) {
    return false;
  }
  out.index = uint16_t(*index);
  return true;
}

bool readRegister(std::string_view text, Operand &out) {
  for (const NamedScalar &named : NamedScalars) {
    if (text == named.name) {
      out.file = File::Scalar;
      out.index = named.index;
      out.dwords = named.dwords;
      return true;
    }
  }
  std::string_view rest = text;
  uint16_t base = 0;
  out.file = File::Vector;
  if (text.starts_with("ttmp")) {
    rest.remove_prefix(4);
    out.file = File::Scalar;
    base = scalar::Ttmp;
  } else if (text.starts_with('s')) {
    rest.remove_prefix(1);
    out.file = File::Scalar;
  } else if (text.starts_with('v')) {
    rest.remove_prefix(1);
  } else if (text.starts_with('a')) {
    rest.remove_prefix(1);
    base = FirstAccumulator;
  } else {
    return false;
  }
  if (rest.empty() || !(std::isdigit(uint8_t(rest[0])) || rest[0] == '[') ||
      !readRange(rest, out)) {
    return false;
  }
  out.index = uint16_t(out.index + base);
  return true;
}

bool readNumber(std::string_view text, Operand &out) {
  if (auto integer = readInteger(text)) {
    out.file = File::Immediate;
    out.integer = *integer;
    out.isLiteral = text.starts_with("0x");
    return true;
  }
  const std::string copy(text);
  char *end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != 0 || !(std::isdigit(uint8_t(copy.back())))) {
    return false;
  }
  out.file = File::Immediate;
  out.isReal = true;
  out.real = value;
  return true;
}

Operand readOperand(std::string_view text) {
  Operand out;
  auto inside = [&](std::string_view prefix) {
    if (!text.starts_with(prefix) || !text.ends_with(')')) {
      return false;
    }
    text = text.substr(prefix.size(), text.size() - prefix.size() - 1);
    return true;
  };
  if (inside("neg(")) {
    out.negate = true;
  } else if (text.size() > 1 && text[0] == '-' &&
             !std::isdigit(uint8_t(text[1]))) {
    out.negate = true;
    text.remove_prefix(1);
  }
  if (text.size() > 2 && text.front() == '|' && text.back() == '|') {
    out.absolute = true;
    text = text.substr(1, text.size() - 2);
  } else if (inside("abs(")) {
    out.absolute = true;
  }
  if (inside("sext(")) {
    out.signExtend = true;
  }
  // The bits as they are, whatever the operand's type.
  (void)(inside("lit(") || inside("lit64("));
  if (!readRegister(text, out) && !readNumber(text, out)) {
    out.file = File::Word;
    out.word = text;
  }
  return out;
}

//===--- Modifiers --------------------------------------------------------===//

std::vector<int64_t> readList(std::string_view text) {
  std::vector<int64_t> out;
  if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
  }
  while (!text.empty()) {
    const size_t comma = text.find(',');
    // What is no number (a name of a part, of a swizzle) is read elsewhere.
    out.push_back(readInteger(text.substr(0, comma)).value_or(0));
    text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
  }
  return out;
}

Part readPart(std::string_view text) {
  constexpr std::pair<std::string_view, Part> parts[] = {
      {"BYTE_0", Part::Byte0}, {"BYTE_1", Part::Byte1}, {"BYTE_2", Part::Byte2},
      {"BYTE_3", Part::Byte3}, {"WORD_0", Part::Word0}, {"WORD_1", Part::Word1},
      {"DWORD", Part::Dword}};
  for (auto &[name, part] : parts) {
    if (name == text) {
      return part;
    }
  }
  throw plugin::Failure(TZ_E_UNSUPPORTED_OP,
                        "the part '" + std::string(text) +
                            "' of a register is not known");
}

bool readPartModifier(std::string_view name, std::string_view value,
                      PartSelect &out) {
  if (name == "dst_sel") {
    out.destination = readPart(value);
  } else if (name == "src0_sel") {
    out.source[0] = readPart(value);
  } else if (name == "src1_sel") {
    out.source[1] = readPart(value);
  } else if (name == "dst_unused") {
    out.unused = value == "UNUSED_PRESERVE" ? PartSelect::Preserve
                 : value == "UNUSED_SEXT"   ? PartSelect::SignExtend
                                            : PartSelect::Pad;
  } else {
    return false;
  }
  out.used = true;
  return true;
}

bool readShuffle(std::string_view name, const std::vector<int64_t> &values,
                 LaneShuffle &out) {
  using Kind = LaneShuffle::Kind;
  constexpr std::pair<std::string_view, Kind> kinds[] = {
      {"quad_perm", Kind::QuadPerm},   {"row_shl", Kind::RowShl},
      {"row_shr", Kind::RowShr},       {"row_ror", Kind::RowRor},
      {"wave_shl", Kind::WaveShl},     {"wave_rol", Kind::WaveRol},
      {"wave_shr", Kind::WaveShr},     {"wave_ror", Kind::WaveRor},
      {"row_mirror", Kind::RowMirror}, {"row_half_mirror", Kind::RowHalfMirror},
      {"row_share", Kind::RowShare},   {"row_newbcast", Kind::RowShare},
      {"row_xmask", Kind::RowXmask},   {"dpp8", Kind::Eight}};
  const int64_t first = values.empty() ? 0 : values.front();
  if (name == "row_bcast") {
    out.kind = first == 15 ? Kind::RowBroadcast15 : Kind::RowBroadcast31;
    return true;
  }
  for (auto &[text, kind] : kinds) {
    if (text == name) {
      out.kind = kind;
      out.amount = uint8_t(first);
      for (size_t i = 0; i < values.size() && i < 8; ++i) {
        out.select[i] = uint8_t(values[i]);
      }
      return true;
    }
  }
  return false;
}

uint8_t bitsOf(const std::vector<int64_t> &values) {
  uint8_t bits = 0;
  for (size_t i = 0; i < values.size() && i < 8; ++i) {
    bits = uint8_t(bits | (values[i] != 0) << i);
  }
  return bits;
}

void applyModifier(std::string_view name, std::string_view value,
                   Instruction &out) {
  if (readPartModifier(name, value, out.parts)) {
    return;
  }
  std::vector<int64_t> values = readList(value);
  if (readShuffle(name, values, out.shuffle)) {
    return;
  }
  if (name == "clamp") {
    out.clamp = true;
  } else if (name == "mul") {
    out.scale = values.at(0) == 4 ? 2 : 1;
  } else if (name == "div") {
    out.scale = -1;
  } else if (name == "op_sel") {
    out.opSel = bitsOf(values);
  } else if (name == "op_sel_hi") {
    out.opSelHi = bitsOf(values);
  } else if (name == "neg_lo") {
    out.negLo = bitsOf(values);
  } else if (name == "neg_hi") {
    out.negHi = bitsOf(values);
  } else if (name == "row_mask") {
    out.shuffle.rowMask = uint8_t(values.at(0));
  } else if (name == "bank_mask") {
    out.shuffle.bankMask = uint8_t(values.at(0));
  } else if (name == "bound_ctrl") {
    out.shuffle.zeroOutside = true;
  } else if (name == "fi") {
    out.shuffle.readInactive = values.at(0) != 0;
  } else {
    if (values.empty()) {
      values.push_back(1);
    }
    out.modifiers.emplace(std::string(name), std::move(values));
  }
}

/// "vmcnt(0)" and "offset:16" are modifiers, and so are these words.
bool isFlag(std::string_view text) {
  for (std::string_view flag :
       {"clamp", "glc", "slc", "dlc", "sc0", "sc1", "nt", "offen", "idxen",
        "addr64", "lds", "tfe", "gds", "high", "row_mirror",
        "row_half_mirror"}) {
    if (text == flag) {
      return true;
    }
  }
  return false;
}

bool splitModifier(std::string_view text, std::string_view &name,
                   std::string_view &value) {
  size_t end = 0;
  while (end < text.size() &&
         (std::isalnum(uint8_t(text[end])) || text[end] == '_')) {
    ++end;
  }
  name = text.substr(0, end);
  if (isFlag(text)) {
    name = text;
    value = {};
    return true;
  }
  if (end == 0 || end == text.size()) {
    return false;
  }
  if (text[end] == ':') {
    value = text.substr(end + 1);
    return true;
  }
  if (text[end] == '(' &&
      (name.ends_with("cnt") || name.starts_with("depctr"))) {
    value = text.substr(end + 1, text.size() - end - 2);
    return true;
  }
  return false;
}

/// Without what says how it is encoded.
std::string plainName(std::string_view name) {
  constexpr std::string_view dual = "v_dual_";
  if (name.starts_with(dual)) {
    return "v_" + std::string(name.substr(dual.size()));
  }
  for (bool cutOne = true; cutOne;) {
    cutOne = false;
    for (std::string_view suffix : {"_e32", "_e64", "_dpp", "_sdwa"}) {
      if (name.ends_with(suffix)) {
        name.remove_suffix(suffix.size());
        cutOne = true;
      }
    }
  }
  return std::string(name);
}

/// Two sources of 16 bits in one register: both halves count unless said.
bool selectsHighByDefault(std::string_view name) {
  return name.starts_with("v_pk_") || name.starts_with("v_dot");
}

} // namespace

std::unique_ptr<Instruction> readInstruction(std::string_view text) {
  while (!text.empty() && std::isspace(uint8_t(text.front()))) {
    text.remove_prefix(1);
  }
  auto out = std::make_unique<Instruction>();
  out->text = text;
  const size_t pair = text.find(" :: ");
  if (pair != text.npos) {
    out->second = readInstruction(text.substr(pair + 4));
    text = text.substr(0, pair);
  }
  const size_t comment = text.find("//");
  std::vector<std::string> pieces = cut(text.substr(0, comment));
  if (pieces.empty()) {
    throw plugin::Failure(TZ_E_DATA_LOSS, "an instruction has no text");
  }
  for (char &c : out->text) {
    c = c == '\t' ? ' ' : c;
  }
  out->name = plainName(pieces.front());
  out->opSelHi = selectsHighByDefault(out->name) ? 0xFF : 0;
  for (size_t i = 1; i < pieces.size(); ++i) {
    std::string_view name, value;
    if (splitModifier(pieces[i], name, value)) {
      applyModifier(name, value, *out);
    } else {
      out->operands.push_back(readOperand(pieces[i]));
    }
  }
  return out;
}

} // namespace tz::amd::sim
