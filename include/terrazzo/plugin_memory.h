/*===- terrazzo/plugin_memory.h - what a launch may touch ------------------===*
 *
 * What   "tz.memory/0", an extension of tz_launch: memory that is not of the
 *        device's own allocations and that the launch may read and write.
 * Why    A device that checks accesses must know where foreign arrays end. The
 *        host gives it where the program has told (tz_stream_know_memory);
 *        devices that do not check ignore it.
 *===----------------------------------------------------------------------===*/
#ifndef TERRAZZO_PLUGIN_MEMORY_H
#define TERRAZZO_PLUGIN_MEMORY_H

#include <terrazzo/plugin.h>
#include <terrazzo/terrazzo.h>

#define TZ_EXT_MEMORY "tz.memory/0"

/* Owns: the host, during the launch call. Ranges may overlap. */
typedef struct tz_ext_memory {
  tz_ext head;
  const tz_memory_range *ranges;
  size_t num_ranges;
} tz_ext_memory;

#endif /* TERRAZZO_PLUGIN_MEMORY_H */
