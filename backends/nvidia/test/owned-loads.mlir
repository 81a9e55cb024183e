// A tile smaller than the block, changed in place: only the threads that store an
// element load it. Nobody looks at what the others have, so it is not set to zero.
// RUN: tz compile %s --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry twice
// CHECK-NOT: bar.sync
// CHECK: // begin inline asm
// CHECK-NEXT: @%p{{[0-9]+}} ld.global
// CHECK-NOT: bar.sync
// CHECK: @%p{{[0-9]+}} st.global
// CHECK: ret;
tile.kernel @twice(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}) attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %view = tile.make_view %x shape[%m] strides[%c1] : <f32> -> <64xf32>
  %v = tile.load_view %view[%c0] checked [false] {group = 1 : i64} : <64xf32> -> tensor<64xf32>
  %both = arith.addf %v, %v : tensor<64xf32>
  tile.store_view %view[%c0], %both checked [false] {group = 1 : i64} : <64xf32>, tensor<64xf32>
  tile.return
}
