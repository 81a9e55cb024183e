//===- Parser.h - Python text to syntax tree --------------------*- C++ -*-===//
//
// What   parseFile: the tree of a whole module; errors go to the sink and the
//        statement with the error is left out.
// Why    Kernels stand in files with ordinary host code: all of it parses, the
//        restrictions on kernel code are the evaluator's.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_PARSE_PARSER_H
#define TERRAZZO_CORE_FRONTEND_PARSE_PARSER_H

#include "core/frontend/parse/AST.h"

namespace tz::frontend {

/// Never null. Whether the text was right is said by the sink's error count.
/// `firstLine`: of the text, if it is only a part of the file; it may be
/// indented then.
std::unique_ptr<ast::Module> parseFile(std::string path, std::string text,
                                       DiagnosticSink &sink,
                                       uint32_t firstLine = 0);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_PARSE_PARSER_H
