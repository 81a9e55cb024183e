// Stores at x / D * s + x % D are apart in different iterations of the loop that counts x, if rows of D elements lie s apart.
// RUN: tz-opt %s --simt-print-disjoint-accesses -o /dev/null | FileCheck %s

// CHECK-LABEL: simt-print-disjoint-accesses @rows
// CHECK: access 0, {{.*}} in other iterations by rows from [0]
// CHECK: access 1, apart from [], in other iterations from []{{$}}
tile.kernel @rows(%x: !tile.ptr<f32>, %stride: i32, %length: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %range = tile.range 0 to 128 : tensor<128xi32>
  %lengths = tile.splat %length : i32 -> tensor<128xi32>
  %strides = tile.splat %stride : i32 -> tensor<128xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %value = arith.constant dense<1.0> : tensor<128xf32>
  scf.for %i = %c0 to %n step %c128 : i32 {
    %first = tile.splat %i : i32 -> tensor<128xi32>
    %at = arith.addi %first, %range : tensor<128xi32>
    %row = tile.divsi %at, %lengths : tensor<128xi32>
    %column = tile.remsi %at, %lengths : tensor<128xi32>
    %start = arith.muli %row, %strides : tensor<128xi32>
    %where = arith.addi %start, %column : tensor<128xi32>
    %pointers = tile.addptr %base, %where : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    tile.store %pointers, %value : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
    // Columns alone: each row writes them again.
    %again = tile.addptr %base, %column : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    tile.store %again, %value : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  }
  tile.return
}

// Steps of 64 count elements of 128 twice.
// CHECK-LABEL: simt-print-disjoint-accesses @overlapping
// CHECK: access 0, apart from [], in other iterations from []{{$}}
tile.kernel @overlapping(%x: !tile.ptr<f32>, %stride: i32, %length: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %range = tile.range 0 to 128 : tensor<128xi32>
  %lengths = tile.splat %length : i32 -> tensor<128xi32>
  %strides = tile.splat %stride : i32 -> tensor<128xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %value = arith.constant dense<1.0> : tensor<128xf32>
  scf.for %i = %c0 to %n step %c64 : i32 {
    %first = tile.splat %i : i32 -> tensor<128xi32>
    %at = arith.addi %first, %range : tensor<128xi32>
    %row = tile.divsi %at, %lengths : tensor<128xi32>
    %column = tile.remsi %at, %lengths : tensor<128xi32>
    %start = arith.muli %row, %strides : tensor<128xi32>
    %where = arith.addi %start, %column : tensor<128xi32>
    %pointers = tile.addptr %base, %where : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    tile.store %pointers, %value : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  }
  tile.return
}

// A multiple of a step that the launch gives: (length - 1) * step may wrap.
// CHECK-LABEL: simt-print-disjoint-accesses @multiples
// CHECK: access 0, {{.*}} in other iterations by rows from [0]
// CHECK: access 1, apart from [], in other iterations from []{{$}}
tile.kernel @multiples(%x: !tile.ptr<f32>, %stride: i32, %step: i32, %length: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %range = tile.range 0 to 128 : tensor<128xi32>
  %lengths = tile.splat %length : i32 -> tensor<128xi32>
  %strides = tile.splat %stride : i32 -> tensor<128xi32>
  %steps = tile.splat %step : i32 -> tensor<128xi32>
  %three = arith.constant dense<3> : tensor<128xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %value = arith.constant dense<1.0> : tensor<128xf32>
  scf.for %i = %c0 to %n step %c128 : i32 {
    %first = tile.splat %i : i32 -> tensor<128xi32>
    %at = arith.addi %first, %range : tensor<128xi32>
    %row = tile.divsi %at, %lengths : tensor<128xi32>
    %column = tile.remsi %at, %lengths : tensor<128xi32>
    %start = arith.muli %row, %strides : tensor<128xi32>
    %beside = arith.muli %column, %steps : tensor<128xi32>
    %where = arith.addi %start, %beside : tensor<128xi32>
    %pointers = tile.addptr %base, %where : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    tile.store %pointers, %value : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
    %further = arith.muli %beside, %three : tensor<128xi32>
    %there = arith.addi %start, %further : tensor<128xi32>
    %again = tile.addptr %base, %there : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    tile.store %again, %value : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  }
  tile.return
}
