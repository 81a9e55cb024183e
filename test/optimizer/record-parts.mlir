// Records around loops and operations, and what ends of parts are told.
// RUN: tz-opt %s --tile-record-parts --split-input-file | FileCheck %s
// RUN: tz-opt %s --tile-record-parts --split-input-file -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: tile-record-parts
// STATS-DAG: 7  parts

// A load and a store, but not the addresses.
// CHECK-LABEL: @example(
// CHECK-NOT: tile.records
// CHECK: tile.addptr
// CHECK-NEXT: tile.record "load@{{[0-9]+}}"
// CHECK-NEXT: %[[V:.*]] = tile.load
// CHECK-NEXT: tile.record "load@{{[0-9]+}}" end(%[[V]] : tensor<64xf32>)
// CHECK: arith.mulf
// CHECK: tile.record "store@{{[0-9]+}}"
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.record "store@{{[0-9]+}}" end
// CHECK-NOT: tile.record
tile.kernel @example(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.records = ["operations"]} {
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %xs, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %from : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %w = arith.mulf %v, %v : tensor<64xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %w : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.return
}

// -----
// The author's own parts: what is used behind the part is computed in it, what
// is used in it alone is not told, and masks and offsets are nobody's work. Of
// two parts of one name each end belongs to the beginning next to it.
// CHECK-LABEL: @scopes(
// CHECK: %[[A:.*]] = arith.addf
// CHECK: %[[B:.*]] = arith.mulf
// CHECK: tile.record "inner" end(%[[B]] : tensor<8xf32>)
// CHECK: tile.record "outer" end(%[[B]] : tensor<8xf32>)
// CHECK: %[[C:.*]] = arith.subf
// CHECK: tile.record "outer" end(%[[C]] : tensor<8xf32>)
// CHECK: tile.record "never begun" end{{$}}
tile.kernel @scopes(%p: !tile.ptr<f32>, %n: i32) {
  tile.record "outer"
  %lane = tile.range 0 to 8 : tensor<8xi32>
  %limit = tile.splat %n : i32 -> tensor<8xi32>
  %mask = arith.cmpi slt, %lane, %limit : tensor<8xi32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  tile.record "inner"
  %f = arith.constant dense<3.0> : tensor<8xf32>
  %a = arith.addf %one, %f : tensor<8xf32>
  %b = arith.mulf %a, %a : tensor<8xf32>
  tile.record "inner" end
  tile.record "outer" end
  tile.record "outer"
  %c = arith.subf %b, %one : tensor<8xf32>
  tile.record "outer" end
  tile.record "never begun" end
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %to = tile.addptr %ps, %lane : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %to, %c mask %mask : tensor<8x!tile.ptr<f32>>, tensor<8xf32>, tensor<8xi1>
  tile.return
}

// -----
// A loop as a whole, with what it makes; the operations of a reduction's region
// are no parts, and neither are loads where loops alone are asked for.
// CHECK-LABEL: @loops(
// CHECK: tile.record "for@{{[0-9]+}}"{{$}}
// CHECK-NEXT: %[[R:.*]] = scf.for
// CHECK-NOT: tile.record
// CHECK: scf.yield
// CHECK: tile.record "for@{{[0-9]+}}" end(%[[R]] : f32)
// CHECK: tile.store
tile.kernel @loops(%p: !tile.ptr<f32>, %n: i32) attributes {tile.records = ["loops"]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) : i32 {
    %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %v = tile.load %q : !tile.ptr<f32> -> f32
    %s = arith.addf %sum, %v : f32
    scf.yield %s : f32
  }
  tile.store %p, %r : !tile.ptr<f32>, f32
  tile.return
}
