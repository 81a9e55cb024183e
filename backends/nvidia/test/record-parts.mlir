// Records of parts: the clock of the multiprocessor before and behind what
// stands between, one thread a warp keeps the events in shared memory, and all
// of them go into the log when the program ends.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s
// Warps 0 and 2: a bit for each.
// RUN: sed 's/tile.num_warps = 4 : i32/&, tile.record_warps = 5 : i64/' %s > %t.mlir
// RUN: tz compile %t.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t.mlir --check-prefix=CHOSEN
// CHOSEN: mov.b64 [[BITS:%rd[0-9]+]], 5;
// CHOSEN: shr.u64 %{{.*}}, [[BITS]], %
// CHOSEN: st.shared.b64

// CHECK: .visible .entry record_parts(
// CHECK: mov.u64 %{{.*}}, %globaltimer;
// CHECK: mov.u64 %{{.*}}, %clock64;
// CHECK: mov.u64 %{{.*}}, %clock64;
// CHECK: st.shared.b64
// CHECK: ld.global
// CHECK: mov.u64 %{{.*}}, %clock64;
// CHECK: st.shared.b64
// CHECK: mov.u64 %{{.*}}, %clock64;
// CHECK: ex2.approx
// CHECK: mov.u64 %{{.*}}, %clock64;
// CHECK: st.global
// CHECK: mov.u64 %{{.*}}, %clock64;
// CHECK: mov.u64 %{{.*}}, %globaltimer;
// CHECK: atom.{{.*}}add.u64
// CHECK: mov.u32 %{{.*}}, %smid;
// CHECK: ld.shared.b64
tile.kernel @record_parts(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 4 : i32} {
  %lane = tile.range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %from = tile.addptr %xs, %lane : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.record "load"
  %v = tile.load %from {group = 1 : i64} : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  tile.record "load" end
  tile.record "compute"
  %w = tile.math exp2 %v : tensor<128xf32>
  tile.record "compute" end
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %to, %w {group = 2 : i64} : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  tile.return
}
