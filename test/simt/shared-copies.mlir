// Blocks of a cluster share the copies of tiles that both read.
// RUN: tz-opt --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 bulk-copies shared-bytes=131072" --canonicalize --cse %s | FileCheck %s

// Rows of a differ by the program's number, what is read of b does not. The box
// of a would be one: it is two of half as many rows. Both blocks' warps arrive,
// and barriers stay: the other block may arrive late.
// CHECK-LABEL: tile.kernel @rows
// CHECK: simt.descriptor {{.*}} -> <[32, 32], f16
// CHECK: %[[PID:.*]] = tile.program_id 0
// CHECK: %[[OTHER:.*]] = arith.xori %[[PID]], %{{.*}}
// CHECK: %[[WIDE:.*]] = arith.extsi %[[OTHER]]
// CHECK: %[[THERE:.*]] = arith.muli %[[WIDE]]
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %{{.*}}, %[[THERE]]
// CHECK: %[[BARS:.*]]:2 = simt.barriers : !simt.barriers<3>, !simt.barriers<3 arrivals 8>
// CHECK: simt.ring
// CHECK: simt.bulk_copy {{.*}} shared %[[SAME]] :
// CHECK: simt.bulk_copy {{.*}} shared %true :
// CHECK: scf.for
// CHECK: simt.acquire %[[BARS]]#1
// CHECK: simt.bulk_copy {{.*}} shared %[[SAME]] :
// CHECK: simt.bulk_copy {{.*}} shared %true :
// CHECK: simt.release %[[BARS]]#1
// CHECK-NOT: simt.barriers_end
tile.kernel @rows(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32, simt.cluster = 2 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %vo = tile.make_view %out shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %pid = tile.program_id 0
  %pid64 = arith.extsi %pid : i32 to i64
  %row = arith.muli %pid64, %m : i64
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%row, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%at, %z] checked [true, true] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %vo[%row, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// Programs whose loops differ in iterations cannot wait for each other.
// CHECK-LABEL: tile.kernel @no_lengths
// CHECK: simt.barriers : !simt.barriers<3>
// CHECK: simt.bulk_copy
// CHECK-NOT: shared %
tile.kernel @no_lengths(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32, simt.cluster = 2 : i64} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %vo = tile.make_view %out shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %pid = tile.program_id 0
  %pid64 = arith.extsi %pid : i32 to i64
  %row = arith.muli %pid64, %m : i64
  %turns = arith.addi %k, %pid : i32
  %sum = scf.for %i = %c0 to %turns step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%row, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%at, %z] checked [true, true] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %vo[%row, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}
