//===- VariantSymbols.h - whose code a symbol is ----------------*- C++ -*-===//
//
// What   The function of each symbol of code that was loaded.
// Why    Variants of a kernel have symbols of their own, by which devices and
//        samplers name them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LAUNCH_VARIANTSYMBOLS_H
#define TERRAZZO_RUNTIME_LAUNCH_VARIANTSYMBOLS_H

#include <string>
#include <string_view>

namespace tz::runtime {

/// [thread: any]
void noteSymbol(const std::string &symbol, const std::string &function);
/// The last function whose code had it; else the symbol.
std::string functionOfSymbol(std::string_view symbol);

} // namespace tz::runtime

#endif
