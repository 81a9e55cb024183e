// Rows that say where results are stored are converted behind the loop: before
// it a thread has one of them, behind it each that it stores.
// RUN: tz-opt %s --simt-assign-layouts --simt-remove-conversions | FileCheck %s

// CHECK-LABEL: tile.kernel @rows
// CHECK: %[[ROWS:.*]] = tile.load {{.*}} -> tensor<64xi32, #[[FEW:.*]]>
// CHECK-NOT: simt.convert
// CHECK: scf.for
// CHECK: simt.dot
// CHECK: scf.yield
// CHECK: scf.if
// CHECK: simt.convert %[[ROWS]] : tensor<64xi32, #[[FEW]]>
// CHECK: tile.store
// CHECK: } else {
// CHECK: simt.convert %[[ROWS]] : tensor<64xi32, #[[FEW]]>
// CHECK: tile.store
tile.kernel @rows(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %index: !tile.ptr<i32> {tile.group = 3 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 4 : i64}, %n: i32, %k: i32, %twice: i1) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = arith.constant 0 : i64
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %range = tile.range 0 to 64 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %some = tile.remsi %range, %ns : tensor<64xi32>
  %indices = tile.splat %index : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %from = tile.addptr %indices, %some : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %rows = tile.load %from {group = 3 : i64} : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>
  %column = tile.reshape %rows : tensor<64xi32> -> tensor<64x1xi32>
  %va = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : <f16> -> <64x32xf16>
  %vb = tile.make_view %b shape[%wide, %m] strides[%m, %one] : <f16> -> <32x64xf16>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%z, %at] checked [false, false] {group = 1 : i64} : <64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%at, %z] checked [false, false] {group = 2 : i64} : <32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
  %columns = tile.range 0 to 64 : tensor<64xi32>
  %across = tile.reshape %columns : tensor<64xi32> -> tensor<1x64xi32>
  %all = tile.broadcast %across : tensor<1x64xi32> -> tensor<64x64xi32>
  scf.if %twice {
    %doubled = arith.addi %column, %column : tensor<64x1xi32>
    %starts = tile.addptr %outs, %doubled : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
    %wideStarts = tile.broadcast %starts : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
    %to = tile.addptr %wideStarts, %all : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %to, %sum {group = 4 : i64} : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  } else {
    %starts = tile.addptr %outs, %column : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
    %wideStarts = tile.broadcast %starts : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
    %to = tile.addptr %wideStarts, %all : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    tile.store %to, %sum {group = 4 : i64} : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  }
  tile.return
}
