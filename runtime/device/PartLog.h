//===- PartLog.h - what launches tell of their parts, read later ----------===//
//
// What   The logs of launches whose parts a profile wants, of one kernel on one
//        stream of a device with memory of its own: each launch has a piece of
//        device memory for itself, which the host reads when it is asked.
// Why    A log that all launches share does not say whose a record is, so that
//        each launch would have to be waited for; and one that lies in the
//        host's memory is filled over the bus, by atomics.
//
// A block of memory is cut into pieces of one size, whose headers are written
// when the block is made or has been read. So a launch costs an event, and the
// address of its piece. The first launches have room for what is guessed; later
// ones for what those that were read have needed. Where all blocks are used up
// and none has ended, the launch has no piece, and its parts are lost.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_DEVICE_PARTLOG_H
#define TERRAZZO_RUNTIME_DEVICE_PARTLOG_H

#include "runtime/launch/LogDecoder.h"

#include <deque>
#include <mutex>

namespace tz::runtime {

class Device;
class Event;
class Stream;

/// Bytes of all pieces of a log (TERRAZZO_PROFILE_PART_BYTES, 512 MiB).
uint64_t partCapacity();

/// begin() and end() are the stream's thread's; the others any thread's.
class PartLog {
public:
  PartLog(std::shared_ptr<Device> device,
          std::shared_ptr<const Artifact> artifact);
  ~PartLog();
  PartLog(const PartLog &) = delete;

  const Artifact *of() const { return artifact.get(); }
  /// The address for a launch of `programs` programs. No room: TZ_E_RESOURCE_
  /// LIMIT, or what the device says. Never waits for a kernel.
  Result<tz_dptr> begin(uint64_t launch, uint64_t programs);
  /// The launch of begin() was made on the stream, or was not.
  Status end(Stream &stream, bool isMade);
  /// Waits for the launches that were made, and reads what they told.
  Status read();
  using Told = std::vector<std::pair<uint64_t, LaunchParts>>;
  /// Of launches that were read: what they told, once.
  Told take();
  /// What their kernels printed, and whether one failed.
  Status tell(const PrintSink &sink);
  /// Frees the memory. What was not read is lost.
  void release();

private:
  struct Launch {
    uint64_t id, programs;
  };
  struct Block {
    tz_dptr memory = 0;
    uint64_t bytes = 0, pieceBytes = 0;
    size_t pieces = 0;
    std::vector<Launch> launches; ///< of its first pieces
    size_t made = 0, read = 0;
    std::unique_ptr<Event> passed; ///< behind the last of them

    bool isUnread() const { return read < launches.size(); }
  };
  uint64_t bytesFor(uint64_t programs) const;
  /// In pieces that are not much too large: a kernel has large and small grids.
  bool hasRoom(const Block &block, uint64_t need) const {
    constexpr uint64_t few = 4;
    return block.launches.size() < block.pieces && need <= block.pieceBytes &&
           block.pieceBytes / few <= need;
  }
  Status next(uint64_t need);
  Status allocate(Block &block, uint64_t need);
  Status cut(Block &block, uint64_t need);
  Status readBlock(Block &block);
  void decode(const Launch &launch, const tz_log_header &header,
              std::span<const uint8_t> records);
  Status readerStream();

  const std::shared_ptr<Device> device;
  const std::shared_ptr<const Artifact> artifact;
  std::mutex lock; ///< guards what follows
  std::unique_ptr<Stream> reader;
  std::deque<Block> blocks; ///< that of the last launch is the last one
  uint64_t allocated = 0;
  uint64_t bytesOfProgram = 0; ///< the most of one that was read; 0: none was
  Told told;
  std::vector<std::string> lines;
  Status failure; ///< of an assert
};

} // namespace tz::runtime

#endif
