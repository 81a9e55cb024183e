//===- SimtMachine.h - what passes and lowering both ask ------------------===//
//
// What   Numbers of a machine that decide about layouts and about code: lanes,
//        widths, how shared memory is aligned.
// Why    The passes ask a SimtTarget and the lowering asks SimtHooks. Both must
//        hear the same, so a vendor writes these answers once and puts them
//        under both: template <class Base> class Mine : public Base.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_SIMTMACHINE_H
#define TERRAZZO_SIMT_SIMTMACHINE_H

#include "terrazzo/simt/Simt.h"

namespace tz::simt {

class SimtMachine {
public:
  virtual ~SimtMachine() = default;

  /// Lanes of a warp: a power of two. An architecture may have several; then
  /// the vendor answers with the one that this kernel is compiled for
  /// (terrazzo/simt/WarpSize.h).
  virtual unsigned lanes() const { return 32; }
  /// The widest access of one thread, to device and to shared memory: a power
  /// of two.
  virtual int64_t vectorBytes() const { return 16; }
  /// Bytes from a base that all threads of a block share, which accesses reach
  /// by an offset of 32 bits and without a branch where they are off; 0: there
  /// are none such. Then accesses have a NearPlace.
  virtual int64_t nearBytes() const { return 0; }
  /// Shared memory that one block may have; 0: not known.
  virtual uint64_t sharedBytes() const { return 0; }
  /// Shared memory that an exchange of a tile between threads may take: a
  /// larger one is done in pieces, where layouts have some. Then products whose
  /// operands are larger than shared memory are taken in parts, too. 0: what a
  /// block has left is the limit, and products stay whole.
  virtual uint64_t exchangeBytes() const { return 0; }
  /// Bytes of which the address of such a buffer is a multiple: a power of two.
  /// At least what its swizzle repeats after and what vectors need, which is
  /// the default (leastAlignment). More where a copy or matrix unit wants it.
  virtual int64_t sharedAlignment(BufferType buffer) const {
    return leastAlignment(buffer);
  }

  /// The alignment that every machine with such vectors needs.
  int64_t leastAlignment(BufferType buffer) const {
    return std::max(vectorBytes(), buffer.getLayout().getPeriod());
  }
  /// Bytes from one slot of a ring of such buffers to the next.
  int64_t slotBytes(BufferType buffer) const {
    return int64_t(llvm::alignTo(uint64_t(buffer.getBytes()),
                                 uint64_t(sharedAlignment(buffer))));
  }
};

} // namespace tz::simt

#endif // TERRAZZO_SIMT_SIMTMACHINE_H
