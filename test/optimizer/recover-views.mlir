// RUN: tz-opt %s --tile-recover-views --canonicalize --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tz-opt %s --tile-recover-views --split-input-file --verify-diagnostics -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: tile-recover-views
// STATS: 4  declined
// STATS: 1  fixed-views
// STATS: 4  folded-loads
// STATS: 7  recovered-loads
// STATS: 14  recovered-stores
// STATS: 1  versioned-blocks

// CHECK-LABEL: @example
// CHECK: %[[N:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: %[[VIEW:.*]] = tile.make_view %{{.*}} shape[%[[N]]]
// CHECK: %[[AT:.*]] = arith.muli
// CHECK: tile.load_view %[[VIEW]][%[[AT]]] checked [true] {group = 1 : i64}
// CHECK: tile.store_view %{{.*}} checked [false]
tile.kernel @example(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %block = arith.constant 64 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %block : i32
  %start = tile.splat %first : i32 -> tensor<64xi32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %at = arith.addi %start, %lane : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %at, %limit : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %xs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %from mask %inside {group = 1 : i64} : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.return
}

// -----

// The offset %s may be negative: the base moves with the block, and n - s is left.
// CHECK-LABEL: @unknown_sign
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: tile.addptr
// CHECK: arith.subi
// CHECK: tile.load_view %{{.*}}[%[[ZERO]]] other %{{.*}} checked [true]
tile.kernel @unknown_sign(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %s: i32) {
  %start = tile.splat %s : i32 -> tensor<64xi32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %at = arith.addi %start, %lane : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %at, %limit : tensor<64xi32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %xs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{not known to be >= 0}}
  %v = tile.load %from mask %inside other %one : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> other tensor<64xf32> -> tensor<64xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.return
}

// -----

// A row that is off as a whole is a view of extent zero.
// CHECK-LABEL: @uniform_mask
// CHECK: %[[EXTENT:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i64
// CHECK: tile.make_view %{{.*}} shape[%[[EXTENT]]]
// CHECK: tile.store_view {{.*}} checked [true]
tile.kernel @uniform_mask(%y: !tile.ptr<f32>, %go: i1, %s: f32) {
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %on = tile.splat %go : i1 -> tensor<64xi1>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %v mask %on : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  tile.return
}

// -----

// The store shows what the wrapped lanes read.
// CHECK-LABEL: @no_view_wrapped_rows
// CHECK: tile.load %
tile.kernel @no_view_wrapped_rows(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %at = tile.remsi %lane, %limit : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %xs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{stays an access by pointers: in the lanes beyond the limit, what is read there reaches a store that does not mask it off; mask the store by offsets < limit}}
  %v = tile.load %from : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.return
}

// -----

// A block pointer that the loop advances is a fixed view with an offset; the
// width 48 is no power of two (R4).
// CHECK-LABEL: @in_guard
// CHECK: scf.if
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: %[[W:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: %[[AT:.*]] = arith.muli %[[W]], %{{.*}} : i64
// CHECK: tile.store_view %{{.*}}[%[[AT]]]
tile.kernel @in_guard(%y: !tile.ptr<f32>, %s: f32, %n: i32, %size: i64, %go: i1) {
  %v = tile.splat %s : f32 -> tensor<48xf32>
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %width = arith.constant 48 : i64
  scf.if %go {
    %view = tile.make_view %y shape [%size] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
    %end = scf.for %i = %low to %n step %one iter_args(%w = %view) -> (!tile.view<48xf32>) : i32 {
      tile.store_view %w[%zero], %v checked [true] : !tile.view<48xf32>, tensor<48xf32>
      %next = tile.advance_view %w[%width] : !tile.view<48xf32>
      scf.yield %next : !tile.view<48xf32>
    }
  }
  tile.return
}

// -----

// CHECK-LABEL: @no_fixed_view_other_steps
// CHECK: tile.store_view
// CHECK: tile.advance_view
tile.kernel @no_fixed_view_other_steps(%y: !tile.ptr<f32>, %s: f32, %n: i64, %size: i64) {
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %view = tile.make_view %y shape [%size] strides [%one] : !tile.ptr<f32> -> !tile.view<64xf32>
  %end = scf.for %i = %zero to %n step %one iter_args(%w = %view) -> (!tile.view<64xf32>) : i64 {
    // expected-remark @below {{keeps a view that moves: its view comes out of a branch or a loop that does not move it by the same amounts every iteration; make the view once}}
    tile.store_view %w[%zero], %v checked [true] : !tile.view<64xf32>, tensor<64xf32>
    %next = tile.advance_view %w[%i] : !tile.view<64xf32>
    scf.yield %next : !tile.view<64xf32>
  }
  tile.return
}

// -----

// Rows that wrap around are read as far as there are any, if the store masks
// the rest off; the product keeps rows apart. 48 and 80 are no powers of two.
// CHECK-LABEL: @wrapped_rows_in_guard
// CHECK: scf.if
// CHECK: %[[M:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: tile.make_view %{{.*}} shape[%[[M]], %{{.*}}]
// CHECK: tile.load_view {{.*}} checked [true, false] {{.*}}<48x16xf32>
// CHECK: tile.dot
// CHECK: tile.store_view {{.*}} checked [true, false]
tile.kernel @wrapped_rows_in_guard(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %m: i32, %n: i32, %go: i1, %s: f32) {
  %block = arith.constant 48 : i32
  %ld = arith.constant dense<80> : tensor<48x1xi32>
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<48x80xf32>
  %b = tile.splat %s : f32 -> tensor<16x80xf32>
  %pid = tile.program_id 0
  %limit = tile.splat %m : i32 -> tensor<48xi32>
  %lane = tile.range 0 to 48 : tensor<48xi32>
  %cols = tile.range 0 to 80 : tensor<80xi32>
  %ks = tile.range 0 to 16 : tensor<16xi32>
  scf.if %go {
    %first = arith.muli %pid, %block : i32
    %start = tile.splat %first : i32 -> tensor<48xi32>
    %rows = arith.addi %start, %lane : tensor<48xi32>
    %wrapped = tile.remsi %rows, %limit : tensor<48xi32>
    %w = tile.reshape %wrapped : tensor<48xi32> -> tensor<48x1xi32>
    %ws = arith.muli %w, %ld : tensor<48x1xi32>
    %wb = tile.broadcast %ws : tensor<48x1xi32> -> tensor<48x16xi32>
    %k = tile.reshape %ks : tensor<16xi32> -> tensor<1x16xi32>
    %kb = tile.broadcast %k : tensor<1x16xi32> -> tensor<48x16xi32>
    %at = arith.addi %wb, %kb : tensor<48x16xi32>
    %xs = tile.splat %x : !tile.ptr<f32> -> tensor<48x16x!tile.ptr<f32>>
    %from = tile.addptr %xs, %at : tensor<48x16x!tile.ptr<f32>>, tensor<48x16xi32>
    %sum = scf.for %i = %low to %n step %one iter_args(%acc = %zero) -> (tensor<48x80xf32>) : i32 {
      %a = tile.load %from : tensor<48x16x!tile.ptr<f32>> -> tensor<48x16xf32>
      %next = tile.dot %a, %b, %acc : tensor<48x16xf32>, tensor<16x80xf32> -> tensor<48x80xf32>
      scf.yield %next : tensor<48x80xf32>
    }
    %r = tile.reshape %rows : tensor<48xi32> -> tensor<48x1xi32>
    %rs = arith.muli %r, %ld : tensor<48x1xi32>
    %rb = tile.broadcast %rs : tensor<48x1xi32> -> tensor<48x80xi32>
    %c = tile.reshape %cols : tensor<80xi32> -> tensor<1x80xi32>
    %cb = tile.broadcast %c : tensor<1x80xi32> -> tensor<48x80xi32>
    %to = arith.addi %rb, %cb : tensor<48x80xi32>
    %ys = tile.splat %y : !tile.ptr<f32> -> tensor<48x80x!tile.ptr<f32>>
    %out = tile.addptr %ys, %to : tensor<48x80x!tile.ptr<f32>>, tensor<48x80xi32>
    %ml = tile.splat %m : i32 -> tensor<48x1xi32>
    %mask = arith.cmpi slt, %r, %ml : tensor<48x1xi32>
    %mb = tile.broadcast %mask : tensor<48x1xi1> -> tensor<48x80xi1>
    tile.store %out, %sum mask %mb : tensor<48x80x!tile.ptr<f32>>, tensor<48x80xf32>, tensor<48x80xi1>
  }
  tile.return
}

// -----

// The sign of the offsets is asked once, before the loop.
// CHECK-LABEL: @wrapped_unknown_sign
// CHECK: %[[SIGN:.*]] = arith.cmpi sge
// CHECK: scf.if %[[SIGN]] {
// CHECK: scf.for
// CHECK: tile.load_view
// CHECK: tile.store_view
// CHECK: } else {
// CHECK: scf.for
// CHECK: tile.load %
tile.kernel @wrapped_unknown_sign(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %m: i32, %s: i32, %n: i32) {
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = tile.splat %s : i32 -> tensor<64xi32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %rows = arith.addi %start, %lane : tensor<64xi32>
  %limit = tile.splat %m : i32 -> tensor<64xi32>
  %wrapped = tile.remsi %rows, %limit : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %xs, %wrapped : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %rows : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %mask = arith.cmpi slt, %rows, %limit : tensor<64xi32>
  scf.for %i = %low to %n step %one : i32 {
    %v = tile.load %from : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
    tile.store %to, %v mask %mask : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  }
  tile.return
}

// -----

// What stops at a limit needs no sign: beyond it nothing is read at all.
// CHECK-LABEL: @stopped_rows
// CHECK-NOT: scf.if
// CHECK: tile.load_view
// CHECK: tile.load_view
// CHECK: tile.store_view
tile.kernel @stopped_rows(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %m: i32, %s: i32) {
  %zero = arith.constant dense<0> : tensor<64xi32>
  %ones = arith.constant dense<1> : tensor<64xi32>
  %start = tile.splat %s : i32 -> tensor<64xi32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %rows = arith.addi %start, %lane : tensor<64xi32>
  %limit = tile.splat %m : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %rows, %limit : tensor<64xi32>
  %chosen = arith.select %mask, %rows, %zero : tensor<64xi1>, tensor<64xi32>
  %last = arith.subi %limit, %ones : tensor<64xi32>
  %least = tile.minsi %rows, %last : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %a = tile.addptr %xs, %chosen : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{not known to be >= 0}}
  %v = tile.load %a : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %b = tile.addptr %xs, %least : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{not known to be >= 0}}
  %w = tile.load %b : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %sum = arith.addf %v, %w : tensor<64xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %rows : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{not known to be >= 0}}
  tile.store %to, %sum mask %mask : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  tile.return
}

// -----

// A sum over the rows sees them all; so does a pointer made of what was read.
// CHECK-LABEL: @no_view_summed_rows
// CHECK: tile.load %
tile.kernel @no_view_summed_rows(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %m: i32) {
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %limit = tile.splat %m : i32 -> tensor<64xi32>
  %wrapped = tile.remsi %lane, %limit : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %xs, %wrapped : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{what is read there reaches a 'tile.reduce', which may use it; mask the load by offsets < limit instead}}
  %v = tile.load %from : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %sum = tile.reduce(%v) axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %y, %sum : !tile.ptr<f32>, f32
  tile.return
}

// -----

// The product before the remainder guards no address: it may wrap (R3).
// CHECK-LABEL: @no_view_hashed_rows
// CHECK: tile.load %
tile.kernel @no_view_hashed_rows(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %m: i32) {
  %block = arith.constant 64 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %block : i32
  %start = tile.splat %first : i32 -> tensor<64xi32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %rows = arith.addi %start, %lane : tensor<64xi32>
  %limit = tile.splat %m : i32 -> tensor<64xi32>
  %wrapped = tile.remsi %rows, %limit : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %xs, %wrapped : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{the offsets before they are folded may overflow; compute them in int64, or store by the same offsets}}
  %v = tile.load %from : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %mask = arith.cmpi slt, %lane, %limit : tensor<64xi32>
  tile.store %to, %v mask %mask : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  tile.return
}

// -----

// A promise of a sum is used where the sum is.
// CHECK-LABEL: @assumed_sum
// CHECK-NOT: tile.addptr
// CHECK: tile.store_view %{{.*}}[%{{.*}}]
tile.kernel @assumed_sum(%y: !tile.ptr<f32>, %a: i32, %b: i32, %n: i32, %s: f32) {
  %zero = arith.constant 0 : i32
  %at = arith.addi %a, %b : i32
  %positive = arith.cmpi sge, %at, %zero : i32
  tile.assume %positive
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %start = tile.splat %at : i32 -> tensor<64xi32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %rows = arith.addi %start, %lane : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %rows, %limit : tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %rows : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %v mask %mask : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  tile.return
}

// -----

// So is one of a value of a loop, which a division by an unknown number gives.
// CHECK-LABEL: @assumed_in_a_loop
// CHECK: scf.for
// CHECK-NOT: tile.addptr
// CHECK: tile.store_view %{{.*}}[%{{.*}}]
tile.kernel @assumed_in_a_loop(%y: !tile.ptr<f32>, %a: i32, %n: i32, %s: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  scf.for %i = %zero to %n step %one : i32 {
    %at = arith.divsi %i, %a : i32
    %positive = arith.cmpi sge, %at, %zero : i32
    tile.assume %positive
    %start = tile.splat %at : i32 -> tensor<64xi32>
    %rows = arith.addi %start, %lane : tensor<64xi32>
    %mask = arith.cmpi slt, %rows, %limit : tensor<64xi32>
    %to = tile.addptr %ys, %rows : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    tile.store %to, %v mask %mask : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  }
  tile.return
}

// -----

// Rows of 128 read as columns: what moves by whole rows is an offset along the
// rows, not along the dimension of stride one, of which it is a multiple too.
// CHECK-LABEL: @transposed_rows
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: %[[AT:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: tile.load_view %{{.*}}[%{{.*}}, %[[AT]]] checked [false, true]
tile.kernel @transposed_rows(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %width = arith.constant dense<128> : tensor<1x64xi32>
  %dim = tile.range 0 to 128 : tensor<128xi32>
  %dims = tile.reshape %dim : tensor<128xi32> -> tensor<128x1xi32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<1x64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %start = tile.splat %i : i32 -> tensor<64xi32>
    %at = arith.addi %start, %lane : tensor<64xi32>
    %rows = tile.reshape %at : tensor<64xi32> -> tensor<1x64xi32>
    %inside = arith.cmpi slt, %rows, %limit : tensor<1x64xi32>
    %down = arith.muli %rows, %width : tensor<1x64xi32>
    %a = tile.broadcast %down : tensor<1x64xi32> -> tensor<128x64xi32>
    %b = tile.broadcast %dims : tensor<128x1xi32> -> tensor<128x64xi32>
    %both = arith.addi %a, %b : tensor<128x64xi32>
    %from = tile.addptr %xs, %both : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
    %mask = tile.broadcast %inside : tensor<1x64xi1> -> tensor<128x64xi1>
    %v = tile.load %from mask %mask {group = 1 : i64} : tensor<128x64x!tile.ptr<f32>> mask tensor<128x64xi1> -> tensor<128x64xf32>
    %next = arith.addf %acc, %v : tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %high = arith.constant 128 : i64
  %wide = arith.constant 64 : i64
  %to = tile.make_view %y shape[%high, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<128x64xf32>
  tile.store_view %to[%z, %z], %sum checked [false, false] {group = 2 : i64} : !tile.view<128x64xf32>, tensor<128x64xf32>
  tile.return
}

// -----

// The last of the blocks of a loop ends where the array does: none is checked.
// CHECK-LABEL: @whole_blocks
// CHECK: tile.store_view {{.*}} checked [false]
tile.kernel @whole_blocks(%y: !tile.ptr<f32>, %s: f32) {
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %zero = arith.constant 0 : i32
  %block = arith.constant 64 : i32
  %end = arith.constant 1024 : i32
  %ends = tile.splat %end : i32 -> tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  scf.for %i = %zero to %end step %block : i32 {
    %is = tile.splat %i : i32 -> tensor<64xi32>
    %at = arith.addi %is, %lane : tensor<64xi32>
    %inside = arith.cmpi slt, %at, %ends : tensor<64xi32>
    %to = tile.addptr %ys, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    tile.store %to, %v mask %inside : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  }
  tile.return
}

// -----

// Of 1,000 elements the last block has 40.
// CHECK-LABEL: @last_block_cut
// CHECK: tile.store_view {{.*}} checked [true]
tile.kernel @last_block_cut(%y: !tile.ptr<f32>, %s: f32) {
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %zero = arith.constant 0 : i32
  %block = arith.constant 64 : i32
  %end = arith.constant 1000 : i32
  %ends = tile.splat %end : i32 -> tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  scf.for %i = %zero to %end step %block : i32 {
    %is = tile.splat %i : i32 -> tensor<64xi32>
    %at = arith.addi %is, %lane : tensor<64xi32>
    %inside = arith.cmpi slt, %at, %ends : tensor<64xi32>
    %to = tile.addptr %ys, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    tile.store %to, %v mask %inside : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  }
  tile.return
}

// -----
// A pointer that the author moved by a sum of 32 bits is the view's base as it
// is: as a formula it would be computed in 64.
// CHECK-LABEL: @moved_by_narrow(
// CHECK-SAME: %[[X:[^:]*]]: !tile.ptr<f32>, %[[S:[^:]*]]: i32
// CHECK: %[[PID:.*]] = tile.program_id 1
// CHECK: %[[ROW:.*]] = arith.muli %[[PID]], %[[S]] : i32
// CHECK: %[[BASE:.*]] = tile.addptr %[[X]], %[[ROW]] : !tile.ptr<f32>, i32
// CHECK: tile.make_view %[[BASE]] shape
// CHECK-NOT: tile.addptr
// CHECK: tile.store_view
tile.kernel @moved_by_narrow(%x: !tile.ptr<f32>, %s: i32, %n: i32, %v: f32) {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %y = tile.program_id 1
  %row = arith.muli %y, %s : i32
  %own = tile.addptr %x, %row : !tile.ptr<f32>, i32
  %start = arith.muli %pid, %c64 : i32
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %at = arith.addi %starts, %lanes : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %at, %limit : tensor<64xi32>
  %bases = tile.splat %own : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %bases, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %values = tile.splat %v : f32 -> tensor<64xf32>
  tile.store %p, %values mask %inside {group = 1 : i64} : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  tile.return
}

// -----
// A pointer that a loop carries is none: its formula is known in every iteration.
// CHECK-LABEL: @carried(
// CHECK-SAME: %[[X:[^:]*]]: !tile.ptr<f32>
// CHECK: scf.for
// CHECK: %[[BASE:.*]] = tile.addptr %[[X]], %{{.*}} : !tile.ptr<f32>, i64
// CHECK: tile.make_view %[[BASE]] shape
tile.kernel @carried(%x: !tile.ptr<f32>, %s: i32, %n: i32, %v: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %values = tile.splat %v : f32 -> tensor<64xf32>
  %last = scf.for %i = %zero to %n step %one iter_args(%at = %x) -> (!tile.ptr<f32>) : i32 {
    %own = tile.addptr %at, %s : !tile.ptr<f32>, i32
    %bases = tile.splat %own : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %p = tile.addptr %bases, %lanes : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    tile.store %p, %values {group = 1 : i64} : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
    %next = tile.addptr %at, %s : !tile.ptr<f32>, i32
    scf.yield %next : !tile.ptr<f32>
  }
  tile.return
}
