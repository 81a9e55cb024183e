// What a vendor's file may not include, and what it may.
#include "core/simt/SimtPasses.h"
#include "plugins/cpu/KernelEntry.h"
#include "terrazzo/simt/Private.h"
#include "test/fibers/Fibers.h"

#include "mlir/IR/Builders.h"
#include "plugins/mine/compiler/Mine.h"
#include "terrazzo/ir/TileOps.h.inc"
#include "terrazzo/optimizer/Features.def"
#include <sys/mman.h>
#include <terrazzo/plugin/Device.h>
