// The blocks of a cluster divide the iterations of a loop of dots, add up what
// they have, and the first one goes on alone.
// RUN: tz-opt %s --simt-split-k=blocks=4 --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: tile.kernel @example
// CHECK-SAME: simt.split = 4
// CHECK: %[[RANK:.*]] = simt.block_rank
// CHECK: %[[LENGTH:.*]] = arith.subi %{{.*}}, %c0_i32
// CHECK: %[[UP:.*]] = arith.addi %[[LENGTH]], %c31_i32
// CHECK: %[[COUNT:.*]] = tile.divsi %[[UP]], %c32_i32
// CHECK: %[[MORE:.*]] = arith.addi %[[COUNT]], %c3_i32
// CHECK: %[[PART:.*]] = tile.divsi %[[MORE]], %c4_i32
// CHECK: %[[DISTANCE:.*]] = arith.muli %[[PART]], %c32_i32
// CHECK: %[[OWN:.*]] = arith.muli %[[RANK]], %[[DISTANCE]]
// CHECK: %[[FIRST:.*]] = arith.addi %c0_i32, %[[OWN]]
// CHECK: %[[BEHIND:.*]] = arith.addi %[[FIRST]], %[[DISTANCE]]
// CHECK: %[[END:.*]] = tile.minsi %[[BEHIND]]
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %[[FIRST]] to %[[END]] step %c32_i32
// CHECK: %[[ALL:.*]] = simt.block_sum %[[SUM]] : tensor<64x64xf32>
// CHECK: simt.first_block
// CHECK: tile.store_view %{{.*}}, %[[ALL]]
tile.kernel @example(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %out: !tile.ptr<f32>, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %vo = tile.make_view %out shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%z, %at] checked [true, true] : !tile.view<64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%at, %z] checked [true, true] : !tile.view<32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %vo[%z, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// A scaled product is added, and a second sum of integers; the loop counts in 64
// bits.
// CHECK-LABEL: tile.kernel @two
// CHECK: %[[RANK:.*]] = simt.block_rank
// CHECK: arith.extsi %[[RANK]] : i32 to i64
// CHECK: %[[SUMS:.*]]:2 = scf.for
// CHECK: simt.block_sum %[[SUMS]]#0 : tensor<16x16xf32>
// CHECK: simt.block_sum %[[SUMS]]#1 : tensor<16x16xi32>
// CHECK: simt.first_block
tile.kernel @two(%out: !tile.ptr<f32>, %counts: !tile.ptr<i32>, %of_x: f16, %of_y: i8, %of_scale: f32, %k: i64) {
  %x = tile.splat %of_x : f16 -> tensor<16x16xf16>
  %y = tile.splat %of_y : i8 -> tensor<16x16xi8>
  %scale = tile.splat %of_scale : f32 -> tensor<16x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %none = arith.constant dense<0> : tensor<16x16xi32>
  %c0 = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %vo = tile.make_view %out shape[%k, %k] strides[%k, %one] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %vc = tile.make_view %counts shape[%k, %k] strides[%k, %one] : !tile.ptr<i32> -> !tile.view<16x16xi32>
  %sums:2 = scf.for %i = %c0 to %k step %one iter_args(%acc = %zero, %count = %none) -> (tensor<16x16xf32>, tensor<16x16xi32>) : i64 {
    %product = tile.dot %x, %x, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %scaled = arith.mulf %product, %scale : tensor<16x16xf32>
    %next = arith.addf %acc, %scaled : tensor<16x16xf32>
    %more = tile.dot %y, %y, %count : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xi32>
    scf.yield %next, %more : tensor<16x16xf32>, tensor<16x16xi32>
  }
  tile.store_view %vo[%c0, %c0], %sums#0 checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.store_view %vc[%c0, %c0], %sums#1 checked [true, true] : !tile.view<16x16xi32>, tensor<16x16xi32>
  tile.return
}

// -----

// What is multiplied in each iteration is no sum.
// CHECK-LABEL: tile.kernel @decays
// CHECK-NOT: simt.
// expected-remark @below {{its programs keep one block each: the loop carries what is no sum, or does not begin at zero}}
tile.kernel @decays(%out: !tile.ptr<f32>, %of_x: f16, %k: i32) {
  %x = tile.splat %of_x : f16 -> tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %half = arith.constant dense<0.5> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %vo = tile.make_view %out shape[%one, %one] strides[%one, %one] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %less = arith.mulf %acc, %half : tensor<16x16xf32>
    %next = tile.dot %x, %x, %less : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  tile.store_view %vo[%z, %z], %sum checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----

// Each block would add what the sum begins with.
// CHECK-LABEL: tile.kernel @begins_at_one
// CHECK-NOT: simt.
// expected-remark @below {{the loop carries what is no sum, or does not begin at zero}}
tile.kernel @begins_at_one(%out: !tile.ptr<f32>, %of_x: f16, %k: i32) {
  %x = tile.splat %of_x : f16 -> tensor<16x16xf16>
  %first = arith.constant dense<1.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %vo = tile.make_view %out shape[%one, %one] strides[%one, %one] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %first) -> (tensor<16x16xf32>) : i32 {
    %next = tile.dot %x, %x, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  tile.store_view %vo[%z, %z], %sum checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----

// The sum is read in the loop as well: by a store, which all blocks would do.
// CHECK-LABEL: tile.kernel @stores_inside
// CHECK-NOT: simt.
// expected-remark @below {{it writes before the loop has ended}}
tile.kernel @stores_inside(%out: !tile.ptr<f32>, %of_x: f16, %k: i32) {
  %x = tile.splat %of_x : f16 -> tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %vo = tile.make_view %out shape[%one, %one] strides[%one, %one] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %next = tile.dot %x, %x, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    tile.store_view %vo[%z, %z], %next checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  tile.return
}

// -----

// Two loops with dots: only one could be divided.
// CHECK-LABEL: tile.kernel @two_loops
// CHECK-NOT: simt.
// expected-remark @below {{it has dots behind the loop}}
tile.kernel @two_loops(%out: !tile.ptr<f32>, %of_x: f16, %k: i32) {
  %x = tile.splat %of_x : f16 -> tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %vo = tile.make_view %out shape[%one, %one] strides[%one, %one] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %next = tile.dot %x, %x, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %last = tile.dot %x, %x, %sum : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  tile.store_view %vo[%z, %z], %last checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----

// Two versions of a loop in branches that all blocks of a program take alike; on
// the third way the first block is alone.
// CHECK-LABEL: tile.kernel @versions
// CHECK: scf.if
// CHECK: simt.block_rank
// CHECK: scf.for
// CHECK: simt.block_sum
// CHECK-NEXT: simt.first_block
// CHECK-NEXT: tile.store_view
// CHECK: } else {
// CHECK: scf.if
// CHECK: simt.block_rank
// CHECK: scf.for
// CHECK: simt.block_sum
// CHECK-NEXT: simt.first_block
// CHECK-NEXT: tile.store_view
// CHECK: } else {
// CHECK-NEXT: simt.first_block
// CHECK-NEXT: tile.store_view
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: simt.first_block
// CHECK-NEXT: tile.store_view
tile.kernel @versions(%out: !tile.ptr<f32>, %of_x: f16, %k: i32) {
  %x = tile.splat %of_x : f16 -> tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %vo = tile.make_view %out shape[%one, %one] strides[%one, %one] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %pid = tile.program_id 0
  %first = arith.cmpi eq, %pid, %c0 : i32
  %long = arith.cmpi sgt, %k, %c1 : i32
  scf.if %first {
    %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
      %next = tile.dot %x, %x, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %next : tensor<16x16xf32>
    }
    tile.store_view %vo[%z, %z], %sum checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
  } else {
    scf.if %long {
      %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
        %next = tile.dot %x, %x, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
        scf.yield %next : tensor<16x16xf32>
      }
      tile.store_view %vo[%z, %one], %sum checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
    } else {
      tile.store_view %vo[%one, %z], %zero checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
    }
  }
  tile.store_view %vo[%one, %one], %zero checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----

// Which way a block takes was loaded.
// CHECK-LABEL: tile.kernel @loaded
// CHECK-NOT: simt.
// expected-remark @below {{blocks may take different branches}}
tile.kernel @loaded(%out: !tile.ptr<f32>, %which: !tile.ptr<i1>, %of_x: f16, %k: i32) {
  %x = tile.splat %of_x : f16 -> tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %vo = tile.make_view %out shape[%one, %one] strides[%one, %one] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %this = tile.load %which : !tile.ptr<i1> -> i1
  scf.if %this {
    %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
      %next = tile.dot %x, %x, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %next : tensor<16x16xf32>
    }
    tile.store_view %vo[%z, %z], %sum checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
  }
  tile.return
}
