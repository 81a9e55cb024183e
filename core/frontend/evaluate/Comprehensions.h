//===- Comprehensions.h - [f(x) for x in xs if p(x)] ------------*- C++ -*-===//
//
// What   The value of a comprehension: a list, a tuple or a dictionary.
// Why    Its loops run while the kernel is compiled, each inside the one
// before,
//        and its variables are its own.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_COMPREHENSIONS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_COMPREHENSIONS_H

#include "core/frontend/evaluate/Value.h"

namespace tz::frontend {

class Evaluator;

Value evaluateComprehension(Evaluator &ev, const ast::Comprehension *node);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_COMPREHENSIONS_H
