//===- VariantSymbols.cpp - whose code a symbol is ------------------------===//
//
// What   See VariantSymbols.h.
// Why    See VariantSymbols.h.
//===----------------------------------------------------------------------===//
#include "runtime/launch/VariantSymbols.h"

#include <map>
#include <mutex>

namespace tz::runtime {

namespace {
/// Of the process.
struct VariantSymbols {
  std::mutex lock;
  std::map<std::string, std::string, std::less<>> functions;
};
} // namespace

static VariantSymbols &variantSymbols() {
  static auto &made = *new VariantSymbols; // threads outlive statics
  return made;
}

std::string functionOfSymbol(std::string_view symbol) {
  VariantSymbols &all = variantSymbols();
  std::lock_guard guard(all.lock);
  auto known = all.functions.find(symbol);
  return known == all.functions.end() ? std::string(symbol) : known->second;
}

void noteSymbol(const std::string &symbol, const std::string &function) {
  if (symbol != function) {
    VariantSymbols &all = variantSymbols();
    std::lock_guard guard(all.lock);
    all.functions[symbol] = function;
  }
}

} // namespace tz::runtime
