//===- Control.cpp - branches, waits and barriers -------------------------===//
//
// What   Instructions that change the program counter, or wait.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/decode/Text.h"
#include "plugins/amd/simulator/execute/Operands.h"
#include "plugins/amd/simulator/execute/Rows.h"

#include "terrazzo/plugin/Error.h"

namespace tz::amd::sim {

namespace {

void jump(Wave &wave, const Instruction &in) {
  const Operand &target = in.operands.at(0);
  if (target.file != File::Immediate) {
    unsupportedForm(in, "a target that is no distance");
  }
  wave.pc += uint64_t(int64_t{int16_t(target.integer)} * 4);
}
template <auto Condition>
void jumpIf(Wave &wave, const Instruction &in) {
  if (Condition(wave)) {
    jump(wave, in);
  }
}

uint64_t target(Wave &wave, const Instruction &in, unsigned at) {
  if (in.operands.at(at).file != File::Scalar) {
    unsupportedForm(in, "a target that is no scalar register");
  }
  return wave.scalar64(in.operands[at].index);
}
void setCounter(Wave &wave, const Instruction &in) {
  wave.pc = target(wave, in, 0);
}
void swapCounter(Wave &wave, const Instruction &in) {
  const uint64_t next = target(wave, in, 1);
  wave.setScalar64(in.operands.at(0).index, wave.pc);
  wave.pc = next;
}
void getCounter(Wave &wave, const Instruction &in) {
  wave.setScalar64(in.operands.at(0).index, wave.pc);
}

void nothing(Wave &, const Instruction &) {}
/// Caches change nothing here, but the operation is counted.
void cacheOperation(Wave &wave, const Instruction &in) {
  wave.counters.issue(Counter::Memory, {});
  if (wave.environment.races && in.has("sc1")) {
    wave.environment.races->synchronise(wave);
  }
}
/// On gfx11 this one is for other work-groups.
void dropGroupCache(Wave &wave, const Instruction &) {
  if (wave.environment.races) {
    wave.environment.races->synchronise(wave);
  }
}
void end(Wave &wave, const Instruction &) { wave.hasEnded = true; }
void barrier(Wave &wave, const Instruction &) {
  if (wave.counters.storesShared()) {
    wave.found(Found::LateStore,
               text("a store to LDS may be in flight at this barrier; "
                    "wait with {} before",
                    name(Counter::Shared)));
  }
  wave.isAtBarrier = true;
}

void wait(Wave &wave, const Instruction &in) {
  constexpr std::pair<const char *, Counter> counters[] = {
      {"vmcnt", Counter::Memory},
      {"lgkmcnt", Counter::Shared},
      {"expcnt", Counter::Export}};
  if (!in.operands.empty()) {
    unsupportedForm(in, "a number in place of counters");
  }
  for (auto [text, counter] : counters) {
    if (in.has(text)) {
      wave.counters.wait(counter, unsigned(in.modifier(text)));
    }
  }
}
template <Counter Which>
void waitOne(Wave &wave, const Instruction &in) {
  wave.counters.wait(Which, unsigned(in.operands.at(1).integer));
}

bool isSet(Wave &wave) { return wave.scc(); }
bool isClear(Wave &wave) { return !wave.scc(); }
uint64_t vcc(Wave &wave) {
  return wave.scalar64(scalar::Vcc) & wave.laneMask();
}

/// Fields of the mode register read as what a kernel begins with.
void getRegister(Wave &wave, const Instruction &in) {
  const std::string &what = in.operands.at(1).word;
  if (!what.starts_with("hwreg(HW_REG_MODE")) {
    unsupportedForm(in, what);
  }
  wave.setScalar(in.operands[0].index, 0xF0);
}
/// Rounding and denormals are IEEE's whatever is asked: who asks for something
/// else is told.
void setRegister(Wave &, const Instruction &in) {
  for (const Operand &operand : in.operands) {
    if (operand.word.starts_with("hwreg(HW_REG_MODE,25") ||
        operand.word.starts_with("hwreg(HW_REG_SCHED_MODE")) {
      return;
    }
  }
  unsupportedForm(in, "a change of the mode register");
}

} // namespace

std::vector<Row> controlRows() {
  constexpr auto vccz = [](Wave &wave) { return vcc(wave) == 0; };
  constexpr auto vccnz = [](Wave &wave) { return vcc(wave) != 0; };
  constexpr auto execz = [](Wave &wave) { return wave.exec() == 0; };
  constexpr auto execnz = [](Wave &wave) { return wave.exec() != 0; };
  std::vector<Row> rows = {
      {"s_branch", jump, Class::Branch, 0},
      {"s_cbranch_scc0", jumpIf<isClear>, Class::Branch, 0},
      {"s_cbranch_scc1", jumpIf<isSet>, Class::Branch, 0},
      {"s_cbranch_vccz", jumpIf<vccz>, Class::Branch, 0},
      {"s_cbranch_vccnz", jumpIf<vccnz>, Class::Branch, 0},
      {"s_cbranch_execz", jumpIf<execz>, Class::Branch, 0},
      {"s_cbranch_execnz", jumpIf<execnz>, Class::Branch, 0},
      {"s_getpc_b64", getCounter, Class::Branch, 1},
      {"s_setpc_b64", setCounter, Class::Branch, 0},
      {"s_swappc_b64", swapCounter, Class::Branch, 1},
      {"s_barrier", barrier, Class::Barrier, 0},
      {"s_waitcnt", wait, Class::Wait, 0},
      {"s_waitcnt_vscnt", waitOne<Counter::VectorStore>, Class::Wait, 0},
      {"s_waitcnt_vmcnt", waitOne<Counter::Memory>, Class::Wait, 0},
      {"s_waitcnt_lgkmcnt", waitOne<Counter::Shared>, Class::Wait, 0},
      {"s_endpgm", end, Class::Other, 0},
      {"s_getreg_b32", getRegister, Class::Scalar, 1},
      {"s_setreg_b32", setRegister, Class::Scalar, 0},
      {"s_setreg_imm32_b32", setRegister, Class::Scalar, 0},
  };
  // What only steers caches, clocks and schedulers.
  for (const char *name :
       {"s_nop", "s_sleep", "s_setprio", "s_clause", "s_delay_alu",
        "s_set_inst_prefetch_distance", "s_inst_prefetch", "s_icache_inv",
        "s_dcache_wb", "s_dcache_inv", "s_sendmsg", "s_waitcnt_depctr",
        "s_version", "v_nop", "buffer_gl0_inv"}) {
    rows.push_back({name, nothing, Class::Other, 0});
  }
  rows.push_back({"buffer_gl1_inv", dropGroupCache, Class::Other, 0});
  for (const char *name :
       {"buffer_wbl2", "buffer_inv", "buffer_wbinvl1", "buffer_wbinvl1_vol"}) {
    rows.push_back({name, cacheOperation, Class::Other, 0});
  }
  return rows;
}

} // namespace tz::amd::sim
