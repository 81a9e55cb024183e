//===- HostExecutor.cpp - Threads of the program's own --------------------===//
//
// What   See HostExecutor.h.
// Why    See HostExecutor.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/HostExecutor.h"

#include "plugins/cpu/device/CpuDevice.h"
#include "plugins/cpu/device/Running.h"
#include "plugins/cpu/device/ThreadArena.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tz::cpu {

namespace {

/// A grid that tasks may still come to.
struct LentGrid : tz_in_own_pages {
  SharedGrid grid;
  std::thread::id launcher;
  std::atomic<uint32_t> users{0}; ///< the launch, and the tasks to come
};

/// All that there ever were. As many as there were launches at the same time,
/// and one for each launch whose tasks never came.
class LentGrids {
public:
  LentGrid &take(uint32_t users) {
    std::lock_guard<std::mutex> lock(mutex);
    if (unused.empty()) {
      all.push_back(std::make_unique<LentGrid>());
      unused.reserve(all.size()); // so that giving back allocates nothing
      unused.push_back(all.back().get());
    }
    LentGrid &grid = *unused.back();
    unused.pop_back();
    grid.launcher = std::this_thread::get_id();
    grid.users.store(users);
    return grid;
  }

  void giveBack(LentGrid &grid) {
    if (grid.users.fetch_sub(1) == 1) {
      std::lock_guard<std::mutex> lock(mutex);
      unused.push_back(&grid);
    }
  }

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<LentGrid>> all;
  std::vector<LentGrid *> unused;
};

/// Never destroyed: tasks may come while the process ends.
LentGrids &lentGrids() {
  static LentGrids &grids = *new LentGrids;
  return grids;
}

void runTask(void *data) {
  auto &lent = *static_cast<LentGrid *>(data);
  // The program's call may run its tasks itself, one after the other. Then the
  // launching thread measures nothing afterwards, so each task does.
  lent.grid.help(lent.launcher == std::this_thread::get_id(), /*notes=*/true);
  lentGrids().giveBack(lent);
}

} // namespace

int32_t HostExecutor::share(const GridJob &job) const {
  const int64_t others = std::min<int64_t>(threads(), job.programs) - 1;
  const auto count = static_cast<uint32_t>(others);
  LentGrid &lent = lentGrids().take(1 + count);
  lent.grid.open(job, threads());
  int32_t code = TZ_E_OK;
  {
    Running::Pause pause;
    code = host->execute(host->ctx, count, runTask, &lent);
  }
  if (code == TZ_E_OK) {
    // Launches inside of that call may have exchanged this thread's arena.
    lent.grid.work(ThreadArena::ofThisThread().reserve(job.arenaBytes));
  } else {
    lent.grid.drop();
    if (job.control) {
      job.control->stop(code);
    }
  }
  lent.grid.close(job.control);
  lentGrids().giveBack(lent);
  return code;
}

} // namespace tz::cpu
