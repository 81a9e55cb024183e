//===- SimulatedLaunch.cpp - runs a kernel --------------------------------===//
//
// What   See SimulatedLaunch.h. Work-groups run in order. One that waits for
// another
//        (it has used its share of instructions) lets the next one begin.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/SimulatedLaunch.h"

#include "plugins/amd/simulator/decode/Text.h"
#include "plugins/amd/simulator/execute/Planted.h"
#include "plugins/amd/simulator/execute/Prepare.h"
#include "plugins/amd/simulator/execute/Wave.h"

#include "terrazzo/plugin/Error.h"

#include <algorithm>
#include <list>

namespace tz::amd::sim {

namespace {

/// Instructions of a wave before the next one runs, and of a work-group before
/// another one may begin.
constexpr unsigned WaveShare = 4096;
constexpr unsigned GroupShare = 1u << 20;

unsigned wavesOf(const LaunchShape &shape, unsigned lanes) {
  const uint64_t items =
      uint64_t{shape.items[0]} * shape.items[1] * shape.items[2];
  return unsigned((items + lanes - 1) / lanes);
}

/// Ends the launch: the finding is in the report.
struct Stopped {};

class Run final : public Environment {
public:
  Run(Memory &memory, Module &module, const KernelCode &kernel,
      const LaunchShape &shape, Report &report)
      : Environment(module.machine(), memory, report), module(module),
        kernel(kernel), shape(shape), entry(module.loaded(kernel.entry)),
        order(uint64_t{shape.groups[0]} * shape.groups[1] * shape.groups[2],
              wavesOf(shape, module.machine().lanes), entry),
        planted(module, kernel, memory, report) {
    races = &order;
  }

  void found(const Wave &wave, Found kind, std::string message) override {
    const uint64_t offset = wave.current ? wave.current->address - entry : 0;
    if (report.repeat(kind, offset)) {
      return;
    }
    Finding finding;
    finding.kind = kind;
    finding.kernel = kernel.name;
    if (wave.current) {
      finding.offset = offset;
      finding.instruction = wave.current->text;
      finding.place = module.place(wave.current->address);
    }
    finding.message =
        text("{}; work-group {},{},{} wave {}", message, wave.group.id[0],
             wave.group.id[1], wave.group.id[2], wave.index);
    report.add(std::move(finding));
  }

  std::string describe(uint64_t offset) override {
    const std::string place = module.place(entry + offset);
    return text("+0x{:x} '{}'{}", offset, module.at(entry + offset).text,
                place.empty() ? "" : " of " + place);
  }

  void step(Wave &wave);
  /// Whether the group has ended.
  bool runGroup(Group &group);
  void runAll(const Prepared &prepared);

private:
  void checkWaits(Wave &wave, const Instruction &in);
  void runPair(Wave &wave, const Instruction &in);
  const Instruction &fetch(Wave &wave);
  void releaseBarrier(Group &group);

  Module &module;
  const KernelCode &kernel;
  const LaunchShape &shape;
  const uint64_t entry;
  Races order;
  Planted planted;
  uint64_t executed = 0;
};

const Instruction &Run::fetch(Wave &wave) {
  try {
    return module.at(wave.pc);
  } catch (const plugin::Failure &failure) {
    Finding finding;
    finding.kind =
        failure.code == TZ_E_FAULT ? Found::OutOfBounds : Found::Unsupported;
    finding.kernel = kernel.name;
    finding.offset = wave.pc - entry;
    finding.message = failure.message;
    report.add(std::move(finding));
    throw Stopped{};
  }
}

void Run::checkWaits(Wave &wave, const Instruction &in) {
  for (size_t i = 0; i < in.operands.size(); ++i) {
    const Operand &operand = in.operands[i];
    if (operand.file != File::Vector && operand.file != File::Scalar) {
      continue;
    }
    const Counter counter = wave.counters.pending(operand);
    if (counter == Counter::Count) {
      continue;
    }
    // Loads of one kind write in order, so the later one wins.
    const bool isOrdered =
        i < destinationsOf(in) &&
        ((in.row->kind == Class::Memory && counter == Counter::Memory) ||
         (in.row->kind == Class::Shared && counter == Counter::Shared));
    if (!isOrdered) {
      wave.found(Found::MissingWait,
                 text("operand {} is used while a load into it may be in "
                      "flight; wait with {} before",
                      i + 1, name(counter)));
      wave.counters.forget(operand);
    }
  }
}

/// Both halves read before either writes.
void Run::runPair(Wave &wave, const Instruction &in) {
  const unsigned to = in.operands.at(0).index;
  auto row = wave.vectors.begin() + ptrdiff_t(to * wave.lanes);
  const std::vector<uint32_t> before(row, row + wave.lanes);
  const uint64_t definedBefore = wave.defined[to];
  in.row->run(wave, in);
  const std::vector<uint32_t> after(row, row + wave.lanes);
  const uint64_t definedAfter = wave.defined[to];
  std::copy(before.begin(), before.end(), row);
  wave.defined[to] = definedBefore;
  in.second->row->run(wave, *in.second);
  std::copy(after.begin(), after.end(), row);
  wave.defined[to] = definedAfter;
}

void Run::step(Wave &wave) {
  const Instruction &in = planted.inPlaceOf(fetch(wave));
  wave.current = &in;
  wave.pc += in.bytes;
  wave.tainted = false;
  ++report.counts[size_t(in.row->kind)];
  checkWaits(wave, in);
  try {
    if (in.second) {
      checkWaits(wave, *in.second);
      runPair(wave, in);
    } else if (planted.isPlanted(in)) {
      planted.expect(wave);
      in.row->run(wave, in);
      planted.compare(wave);
    } else {
      in.row->run(wave, in);
    }
  } catch (const plugin::Failure &failure) {
    found(wave, Found::Unsupported, failure.message);
    throw Stopped{};
  } catch (const std::out_of_range &) {
    found(wave, Found::Unsupported,
          "the simulator does not know this number of operands");
    throw Stopped{};
  }
  if (++executed > shape.limit) {
    found(wave, Found::Endless,
          text("the limit of {} wave instructions was reached", shape.limit));
    throw Stopped{};
  }
}

/// All that have not ended wait.
void Run::releaseBarrier(Group &group) {
  const Wave *first = nullptr;
  for (auto &wave : group.waves) {
    if (!wave->isAtBarrier) {
      continue;
    }
    if (first && first->current != wave->current) {
      found(*wave, Found::Barrier,
            text("this wave waits here and wave {} at +0x{:x}", first->index,
                 first->current->address - entry));
    }
    first = first ? first : wave.get();
  }
  for (auto &wave : group.waves) {
    if (wave->hasEnded && first) {
      found(*first, Found::Barrier,
            text("wave {} has ended without this barrier", wave->index));
      break;
    }
  }
  for (auto &wave : group.waves) {
    wave->isAtBarrier = false;
    wave->issued = wave->counters.upcoming() - 1;
    for (size_t i = 0; i < wave->settled.size(); ++i) {
      wave->settled[i] = wave->counters.settled(Counter(i));
    }
  }
}

bool Run::runGroup(Group &group) {
  const uint64_t until = executed + GroupShare;
  while (executed < until) {
    bool hasRun = false, allEnded = true;
    for (auto &wave : group.waves) {
      for (unsigned i = 0;
           i < WaveShare && !wave->hasEnded && !wave->isAtBarrier; ++i) {
        step(*wave);
        hasRun = true;
      }
      allEnded &= wave->hasEnded;
    }
    if (allEnded) {
      return true;
    }
    if (!hasRun) {
      releaseBarrier(group);
    }
  }
  return false;
}

void Run::runAll(const Prepared &prepared) {
  const uint64_t count =
      uint64_t{shape.groups[0]} * shape.groups[1] * shape.groups[2];
  std::list<Group> running; // waves refer to their group
  uint64_t next = 0;
  while (next < count || !running.empty()) {
    if (next < count) {
      Group &group = running.emplace_back();
      group.number = next;
      group.id[0] = uint32_t(next % shape.groups[0]);
      group.id[1] = uint32_t(next / shape.groups[0] % shape.groups[1]);
      group.id[2] = uint32_t(next / shape.groups[0] / shape.groups[1]);
      prepared.fill(*this, group);
      ++next;
    }
    for (auto group = running.begin(); group != running.end();) {
      if (runGroup(*group)) {
        group = running.erase(group);
      } else {
        ++group;
      }
    }
  }
}

} // namespace

Report launch(Memory &memory, Module &module, const KernelCode &kernel,
              const LaunchShape &shape, std::span<const uint8_t> arguments) {
  Report report;
  const Prepared prepared(memory, module, kernel, shape, arguments);
  Run run(memory, module, kernel, shape, report);
  try {
    run.runAll(prepared);
  } catch (const Stopped &) {
    // The report says why.
  }
  return report;
}

} // namespace tz::amd::sim
