//===- GpuKernels.h - hand-written kernels for a real device --------------===//
//
// What   PTX for sm_90: an addition, an empty kernel, much shared memory,
//        clusters, a load by the TMA unit, waiting, a fault.
// Why    The device half is tried on a GPU without any compiler of ours.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_TEST_GPUKERNELS_H
#define TERRAZZO_BACKENDS_NVIDIA_TEST_GPUKERNELS_H

namespace tz::nvidia::test {

inline constexpr const char GpuKernels[] = R"(.version 8.0
.target sm_90
.address_size 64

.visible .entry empty(.param .u64 a, .param .u64 b, .param .u32 m, .param .u32 n,
                      .param .u32 s, .param .f32 f) { ret; }

// out[i] = x[i] + y[i] for i < n
.visible .entry add(.param .u64 px, .param .u64 py, .param .u64 pout, .param .u32 pn)
{
  .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %a<5>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [pn];
  setp.ge.s32 %p, %r4, %r5;
  @%p ret;
  ld.param.u64 %a1, [px]; ld.param.u64 %a2, [py]; ld.param.u64 %a3, [pout];
  mul.wide.s32 %a4, %r4, 4;
  add.s64 %a1, %a1, %a4; add.s64 %a2, %a2, %a4; add.s64 %a3, %a3, %a4;
  ld.global.f32 %f1, [%a1]; ld.global.f32 %f2, [%a2];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%a3], %f3;
  ret;
}

.extern .shared .align 128 .b8 room[];

// The last word of `bytes` of shared memory, through another thread.
.visible .entry staged(.param .u64 pout, .param .u32 bytes)
{
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %a<2>;
  mov.u32 %r1, %tid.x;
  ld.param.u32 %r2, [bytes];
  mov.u32 %r3, room;
  add.u32 %r4, %r3, %r2;
  mov.u32 %r5, 4711;
  setp.ne.u32 %p, %r1, 1;
  @%p bra wait;
  st.shared.u32 [%r4+-4], %r5;
wait:
  bar.sync 0;
  setp.ne.u32 %p, %r1, 0;
  @%p ret;
  ld.shared.u32 %r6, [%r4+-4];
  ld.param.u64 %a1, [pout];
  st.global.u32 [%a1], %r6;
  ret;
}

// out[block] = rank in the cluster + 100 * size of the cluster
.visible .entry ranks(.param .u64 pout)
{
  .reg .b32 %r<5>; .reg .b64 %a<3>;
  mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank;
  mad.lo.s32 %r3, %r2, 100, %r1;
  mov.u32 %r4, %ctaid.x;
  ld.param.u64 %a1, [pout];
  mul.wide.u32 %a2, %r4, 4;
  add.s64 %a1, %a1, %a2;
  st.global.u32 [%a1], %r3;
  ret;
}

// One box of 8 x 16 floats at (row, column) by the TMA unit; 128 threads.
.visible .entry tile(.param .align 128 .b8 map[128], .param .u64 pout, .param .u32 row,
                     .param .u32 column)
{
  .reg .pred %p; .reg .b32 %r<12>; .reg .b64 %a<5>; .reg .f32 %f;
  .shared .align 128 .b8 box[512];
  .shared .align 8 .b64 barrier;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, box; mov.u32 %r3, barrier;
  ld.param.u32 %r4, [row]; ld.param.u32 %r5, [column];
  setp.ne.u32 %p, %r1, 0;
  @%p bra ready;
  mbarrier.init.shared.b64 [%r3], 1;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared.b64 %a1, [%r3], 512;
  mov.b64 %a2, map;
  cvta.param.u64 %a2, %a2;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
      [%r2], [%a2, {%r5, %r4}], [%r3];
ready:
  bar.sync 0;
again:
  mbarrier.try_wait.parity.shared.b64 %p, [%r3], 0;
  @!%p bra again;
  shl.b32 %r6, %r1, 2;
  add.u32 %r7, %r2, %r6;
  ld.shared.f32 %f, [%r7];
  ld.param.u64 %a3, [pout];
  cvt.u64.u32 %a4, %r6;
  add.s64 %a3, %a3, %a4;
  st.global.f32 [%a3], %f;
  ret;
}

// Runs for `ns` nanoseconds; waits for the kernel before it if it may overlap.
.visible .entry spin(.param .u64 pns)
{
  .reg .pred %p; .reg .b64 %a<4>;
  griddepcontrol.wait;
  ld.param.u64 %a1, [pns];
  mov.u64 %a2, %globaltimer;
  add.u64 %a2, %a2, %a1;
more:
  mov.u64 %a3, %globaltimer;
  setp.lt.u64 %p, %a3, %a2;
  @%p bra more;
  ret;
}

.visible .entry fault()
{
  .reg .b64 %a; .reg .b32 %r;
  mov.u64 %a, 16;
  mov.u32 %r, 1;
  st.global.u32 [%a], %r;
  ret;
}
)";

} // namespace tz::nvidia::test

#endif
