// A loop of two iterations, both of which begin before it: two slots, none of
// which is filled again. Nothing is copied in the loop; its waits count an
// empty group for each iteration.
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 shared-bytes=65536" | FileCheck %s

// With two stages as well: their ring has a slot for each of them.
// RUN: sed 's/num_stages = 3/num_stages = 2/' %s | tz-opt --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 shared-bytes=65536" | FileCheck %s

// CHECK: simt.ring : <2 x <64x32xf16
// CHECK-COUNT-2: simt.async_commit
// CHECK: scf.for
// CHECK: simt.async_wait 1
// CHECK-NEXT: simt.async_commit
// CHECK-NOT: simt.async_copy
// CHECK-NOT: simt.sync
// CHECK: simt.dot
// CHECK: scf.yield
tile.kernel @two(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %b = arith.constant dense<1.0> : tensor<32x32xf16>
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %one = arith.constant 1 : i64
  %va = tile.make_view %a shape[%c64, %c64] strides[%c64, %one] : <f16> -> <64x32xf16>
  %sum = scf.for %i = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf32>) : i64 {
    %x = tile.load_view %va[%c0, %i] checked [false, false] {group = 1 : i64} : <64x32xf16> -> tensor<64x32xf16>
    %next = tile.dot %x, %b, %acc : tensor<64x32xf16>, tensor<32x32xf16> -> tensor<64x32xf32>
    scf.yield %next : tensor<64x32xf32>
  }
  %vo = tile.make_view %out shape[%c64, %c32] strides[%c32, %one] : <f32> -> <64x32xf32>
  tile.store_view %vo[%c0, %c0], %sum checked [false, false] {group = 2 : i64} : <64x32xf32>, tensor<64x32xf32>
  tile.return
}
