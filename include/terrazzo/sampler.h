/*===- terrazzo/sampler.h - samples of instructions, "x.terrazzo.sampler/0"
-===*\
|*
|* What   How a device half tells which instructions its kernels were found at,
|*        and what they waited for. An experiment: it may change or go.
|* Why    Beside plugin.h, which is frozen sooner: a half without samplers knows
|*        nothing of them.
|*
|* A host asks get_interface(TZ_SAMPLER_INTERFACE) when a profile wants samples.
|* Functions answer errors as those of plugin.h do, and any thread may call
|* them.
\*===----------------------------------------------------------------------===*/
#ifndef TERRAZZO_SAMPLER_H
#define TERRAZZO_SAMPLER_H

#include <terrazzo/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TZ_SAMPLER_INTERFACE "x.terrazzo.sampler/0"

typedef struct tz_sampler tz_sampler;

/* How often one instruction was found since the last read(), for one reason.
 * Texts last until `told` returns. */
typedef struct tz_sample {
  size_t struct_size;
  tz_str kernel;      /* its symbol */
  tz_str reason;      /* what was waited for; empty: nothing, or not known */
  uint64_t offset;    /* bytes behind the kernel's first instruction */
  uint64_t count;     /* of samples */
  uint32_t device;    /* its number in devices() */
  uint32_t line, col; /* 0 = unknown */
  tz_str file;        /* empty: the place in the source is not known */
} tz_sample;

typedef struct tz_sampler_api {
  size_t struct_size;
  /* period: cycles of the device between two samples of a core, 0: the device's
   * choice; what it takes instead is written there. TZ_E_UNAVAILABLE: none can
   * be taken here; the message says why. One at a time; another is
   * TZ_E_FAILED_PRECONDITION. Nothing is sampled yet. */
  tz_error *(TZ_CALL *create)(tz_platform *, uint64_t *period, tz_sampler **);
  void(TZ_CALL *destroy)(tz_sampler *);
  /* Begins, or ends. What was sampled stays until it is read. */
  tz_error *(TZ_CALL *enable)(tz_sampler *, int32_t samples);
  /* Tells what was sampled. Waits for what has been launched. lost: for how
   * many samples there was no room. */
  tz_error *(TZ_CALL *read)(tz_sampler *, void *ctx,
                            void(TZ_CALL *told)(void *ctx, const tz_sample *),
                            uint64_t *lost);
} tz_sampler_api;

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* TERRAZZO_SAMPLER_H */
