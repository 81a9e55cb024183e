// A carried tile is as small as what threads hold of its reduction: also where
// one loop goes on with what another gave. Not of floats, not where the tile is
// read by something else, not of another combination.
// RUN: tz-opt %s --simt-assign-layouts --simt-remove-conversions --simt-reduce-carried | FileCheck %s
// RUN: tz-opt %s --simt-assign-layouts --simt-remove-conversions --simt-reduce-carried -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// WHY-COUNT-2: remark: a loop carries this tile with all elements of each thread
// WHY-NOT:     remark:

// CHECK-LABEL: tile.kernel @example
// CHECK:       scf.for {{.*}} -> (tensor<8x32xi1,
// CHECK:         %[[BITS:.*]] = arith.cmpi ne
// CHECK:         %[[CUT:.*]] = tile.reshape %[[BITS]] : {{.*}} -> tensor<8x4x32x8xi1,
// CHECK:         %[[LOW:.*]] = tile.reduce(%[[CUT]]) axis 3
// CHECK:         %[[HIGH:.*]] = tile.reduce(%[[LOW]]) axis 1 {{.*}} -> tensor<8x32xi1,
// CHECK:         arith.andi %{{.*}}, %[[HIGH]] : tensor<8x32xi1,
// CHECK:       tile.reduce(%{{.*}}) axis 1 : (tensor<8x32xi1,
tile.kernel @example(%x: !tile.ptr<i16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<i8> {tile.group = 2 : i64}, %n: i32) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = arith.constant 4096 : i64
  %from = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  %none = arith.constant dense<0> : tensor<8x1024xi16>
  %all = arith.constant dense<true> : tensor<8x1024xi1>
  %view = tile.make_view %x shape[%rows, %rows] strides[%rows, %one] : <i16> -> <8x1024xi16>
  %found = scf.for %i = %from to %n step %step iter_args(%so_far = %all) -> (tensor<8x1024xi1>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %a = tile.load_view %view[%zero, %at] checked [false, false] {group = 1 : i64} : <8x1024xi16> -> tensor<8x1024xi16>
    %is = arith.cmpi ne, %a, %none : tensor<8x1024xi16>
    %both = arith.andi %so_far, %is : tensor<8x1024xi1>
    scf.yield %both : tensor<8x1024xi1>
  }
  %row = tile.reduce(%found) axis 1 : (tensor<8x1024xi1>) -> tensor<8xi1> {
  ^bb0(%p: i1, %q: i1):
    %r = arith.andi %p, %q : i1
    tile.yield %r : i1
  }
  %bytes = arith.extui %row : tensor<8xi1> to tensor<8xi8>
  %out = tile.make_view %y shape[%rows] strides[%one] : <i8> -> <8xi8>
  tile.store_view %out[%zero], %bytes checked [false] {group = 2 : i64} : <8xi8>, tensor<8xi8>
  tile.return
}

// The first loop's tile is what the second begins with; all of it is one row.
// CHECK-LABEL: tile.kernel @loop_after_loop
// CHECK:       scf.for {{.*}} -> (tensor<128xi32,
// CHECK:         arith.addi %{{.*}} : tensor<128xi32,
// CHECK:       scf.for {{.*}} -> (tensor<128xi32,
// CHECK:         arith.addi %{{.*}} : tensor<128xi32,
// CHECK:       tile.reduce(%{{.*}}) axis 0 : (tensor<128xi32,
tile.kernel @loop_after_loop(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<i32> {tile.group = 2 : i64}, %n: i32, %m: i32) {
  %one = arith.constant 1 : i64
  %count = arith.constant 65536 : i64
  %from = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  %none = arith.constant dense<0> : tensor<1024xi32>
  %view = tile.make_view %x shape[%count] strides[%one] : <i32> -> <1024xi32>
  %first = scf.for %i = %from to %n step %step iter_args(%so_far = %none) -> (tensor<1024xi32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %a = tile.load_view %view[%at] checked [false] {group = 1 : i64} : <1024xi32> -> tensor<1024xi32>
    %both = arith.addi %so_far, %a : tensor<1024xi32>
    scf.yield %both : tensor<1024xi32>
  }
  %second = scf.for %i = %n to %m step %step iter_args(%so_far = %first) -> (tensor<1024xi32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %a = tile.load_view %view[%at] checked [true] {group = 1 : i64} : <1024xi32> -> tensor<1024xi32>
    %both = arith.addi %a, %so_far : tensor<1024xi32>
    scf.yield %both : tensor<1024xi32>
  }
  %sum = tile.reduce(%second) axis 0 : (tensor<1024xi32>) -> i32 {
  ^bb0(%p: i32, %q: i32):
    %r = arith.addi %p, %q : i32
    tile.yield %r : i32
  }
  tile.store %y, %sum {group = 2 : i64} : !tile.ptr<i32>, i32
  tile.return
}

// CHECK-LABEL: tile.kernel @no_floats
// CHECK:       scf.for {{.*}} -> (tensor<1024xf32,
tile.kernel @no_floats(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.group = 2 : i64}, %n: i32) {
  %one = arith.constant 1 : i64
  %count = arith.constant 65536 : i64
  %from = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  %none = arith.constant dense<0.0> : tensor<1024xf32>
  %view = tile.make_view %x shape[%count] strides[%one] : <f32> -> <1024xf32>
  %first = scf.for %i = %from to %n step %step iter_args(%so_far = %none) -> (tensor<1024xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %a = tile.load_view %view[%at] checked [false] {group = 1 : i64} : <1024xf32> -> tensor<1024xf32>
    %both = arith.addf %so_far, %a : tensor<1024xf32>
    scf.yield %both : tensor<1024xf32>
  }
  %sum = tile.reduce(%first) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  }
  tile.store %y, %sum {group = 2 : i64} : !tile.ptr<f32>, f32
  tile.return
}

// Sums are stored each for itself; maxima of sums are no sums.
// CHECK-LABEL: tile.kernel @no_other_use
// CHECK:       scf.for {{.*}} -> (tensor<1024xi32, {{.*}}, tensor<1024xi32,
tile.kernel @no_other_use(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %count = arith.constant 65536 : i64
  %from = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  %none = arith.constant dense<0> : tensor<1024xi32>
  %view = tile.make_view %x shape[%count] strides[%one] : <i32> -> <1024xi32>
  %sums:2 = scf.for %i = %from to %n step %step iter_args(%so_far = %none, %beside = %none) -> (tensor<1024xi32>, tensor<1024xi32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %a = tile.load_view %view[%at] checked [false] {group = 1 : i64} : <1024xi32> -> tensor<1024xi32>
    %both = arith.addi %so_far, %a : tensor<1024xi32>
    %more = arith.addi %beside, %a : tensor<1024xi32>
    scf.yield %both, %more : tensor<1024xi32>, tensor<1024xi32>
  }
  %sum = tile.reduce(%sums#0) axis 0 : (tensor<1024xi32>) -> i32 {
  ^bb0(%p: i32, %q: i32):
    %r = arith.addi %p, %q : i32
    tile.yield %r : i32
  }
  %most = tile.reduce(%sums#1) axis 0 : (tensor<1024xi32>) -> i32 {
  ^bb0(%p: i32, %q: i32):
    %r = tile.maxsi %p, %q : i32
    tile.yield %r : i32
  }
  %out = tile.make_view %y shape[%count] strides[%one] : <i32> -> <1024xi32>
  tile.store_view %out[%zero], %sums#0 checked [false] {group = 2 : i64} : <1024xi32>, tensor<1024xi32>
  %end = tile.addptr %y, %count : !tile.ptr<i32>, i64
  %product = arith.muli %sum, %most : i32
  tile.store %end, %product {group = 2 : i64} : !tile.ptr<i32>, i32
  tile.return
}
