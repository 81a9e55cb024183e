//===- DocumentWriter.h - JSON or MessagePack, piece by piece -------------===//
//
// What   Writes a document's objects, arrays and values in their order.
// Why    A document as a tree of JSON objects has to be in memory whole, and
//        the library's objects end the process if they go without memory.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PROFILE_DOCUMENTWRITER_H
#define TERRAZZO_RUNTIME_PROFILE_DOCUMENTWRITER_H

#include "runtime/profile/Profile.h"

#include <string>
#include <string_view>
#include <vector>

namespace tz::runtime {

/// A value as JSON. Text that is no UTF-8 gets a mark where it is none.
std::string jsonText(const MetricValue &value);

/// Containers say first how many they hold, as MessagePack wants it. In an
/// object each value comes behind its key.
class DocumentWriter {
public:
  /// The sink is used as long as this is.
  DocumentWriter(bool isPacked, const TextSink &sink)
      : isPacked(isPacked), sink(sink) {}

  void beginObject(size_t members) { begin(members, true); }
  void beginArray(size_t items) { begin(items, false); }
  /// Of what was begun last.
  void end();
  void key(std::string_view name);
  void value(const MetricValue &value);

  /// Gives the rest to the sink. False: it took no more at some time.
  bool finish();

private:
  struct Container {
    bool isObject;
    size_t written;
  };

  void begin(size_t count, bool isObject);
  void separate();
  void packHeader(uint8_t few, uint8_t fewBits, uint8_t wide, size_t count);
  void pass();

  const bool isPacked;
  const TextSink &sink;
  std::vector<Container> open;
  std::string buffer;
  bool isBehindKey = false, isTaken = true;
};

} // namespace tz::runtime

#endif
