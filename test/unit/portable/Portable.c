/*===- Portable.c - the C reader of the portable form, once
 * ----------------===*/
#define TZP_IMPLEMENTATION
#include "terrazzo/portable.h"
