// What is cheap is computed again in the layout that its user wants.
// RUN: tz-opt %s --simt-assign-layouts --simt-remove-conversions | FileCheck %s

// A transposed store: its pointers are sums of ranges, so they are computed in
// the store's layout. What was loaded is moved.
// CHECK-LABEL: tile.kernel @example
tile.kernel @example(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %range = tile.range 0 to 32 : tensor<32xi32>
  %rows = tile.reshape %range : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tile.reshape %range : tensor<32xi32> -> tensor<1x32xi32>
  %i = tile.broadcast %rows : tensor<32x1xi32> -> tensor<32x32xi32>
  %j = tile.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %width = arith.constant dense<32> : tensor<32x32xi32>
  %iw = arith.muli %i, %width : tensor<32x32xi32>
  %jw = arith.muli %j, %width : tensor<32x32xi32>
  %down = arith.addi %iw, %j : tensor<32x32xi32>
  %across = arith.addi %jw, %i : tensor<32x32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %from = tile.addptr %base, %down : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  // CHECK: %[[V:.*]] = tile.load {{.*}} -> tensor<32x32xf32, #[[ROWS:.*]]>
  %v = tile.load %from : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
  %target = tile.splat %out : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %to = tile.addptr %target, %across : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  // CHECK-NOT: simt.convert
  // CHECK: simt.convert %[[V]] : tensor<32x32xf32, #[[ROWS]]> -> tensor<32x32xf32, #[[COLUMNS:.*]]>
  // CHECK-NOT: simt.convert
  // CHECK: tile.store {{.*}} tensor<32x32xf32, #[[COLUMNS]]>
  tile.store %to, %v : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xf32>
  tile.return
}

// A row that is wanted along both dimensions is loaded for each.
// CHECK-LABEL: tile.kernel @row_again
// CHECK-COUNT-2: tile.load {{.*}} -> tensor<32xf32
// CHECK-NOT: simt.convert
// CHECK: tile.store
tile.kernel @row_again(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}) attributes {tile.num_warps = 4 : i32} {
  %range = tile.range 0 to 32 : tensor<32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %from = tile.addptr %base, %range : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %from {group = 1 : i64} : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %down = tile.reshape %v : tensor<32xf32> -> tensor<32x1xf32>
  %across = tile.reshape %v : tensor<32xf32> -> tensor<1x32xf32>
  %a = tile.broadcast %down : tensor<32x1xf32> -> tensor<32x32xf32>
  %b = tile.broadcast %across : tensor<1x32xf32> -> tensor<32x32xf32>
  %sum = arith.mulf %a, %b : tensor<32x32xf32>
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 32 : i64
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<32x32xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 2 : i64} : !tile.view<32x32xf32>, tensor<32x32xf32>
  tile.return
}

// What the kernel writes may be another value the second time.
// CHECK-LABEL: tile.kernel @no_row_again
// CHECK-COUNT-1: tile.load {{.*}} -> tensor<32xf32
// CHECK: simt.convert
// CHECK: tile.store
tile.kernel @no_row_again(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}) attributes {tile.num_warps = 4 : i32} {
  %range = tile.range 0 to 32 : tensor<32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %from = tile.addptr %base, %range : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %from {group = 1 : i64} : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %down = tile.reshape %v : tensor<32xf32> -> tensor<32x1xf32>
  %across = tile.reshape %v : tensor<32xf32> -> tensor<1x32xf32>
  %a = tile.broadcast %down : tensor<32x1xf32> -> tensor<32x32xf32>
  %b = tile.broadcast %across : tensor<1x32xf32> -> tensor<32x32xf32>
  %sum = arith.mulf %a, %b : tensor<32x32xf32>
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 32 : i64
  %vo = tile.make_view %x shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<32x32xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 1 : i64} : !tile.view<32x32xf32>, tensor<32x32xf32>
  tile.return
}

// A row may have two dimensions, one of which is 1.
// CHECK-LABEL: tile.kernel @flat_row_again
// CHECK-COUNT-1: tile.load {{.*}} -> tensor<1x64xf32
// CHECK-NOT: simt.convert
// CHECK: tile.store_view
tile.kernel @flat_row_again(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}) attributes {tile.num_warps = 4 : i32} {
  %range = tile.range 0 to 64 : tensor<64xi32>
  %flat = tile.reshape %range : tensor<64xi32> -> tensor<1x64xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<1x64x!tile.ptr<f32>>
  %from = tile.addptr %base, %flat : tensor<1x64x!tile.ptr<f32>>, tensor<1x64xi32>
  %v = tile.load %from {group = 1 : i64} : tensor<1x64x!tile.ptr<f32>> -> tensor<1x64xf32>
  %all = tile.broadcast %v : tensor<1x64xf32> -> tensor<64x64xf32>
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  tile.store_view %vo[%z, %z], %all checked [false, false] {group = 2 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// Sums down the columns: each thread has whole columns, and lanes beside each
// other load and store beside each other. Nothing is exchanged.
// CHECK-LABEL: tile.kernel @columns
// CHECK-NOT: simt.convert
// CHECK: tile.load_view {{.*}} -> tensor<64x64xf32, #[[COLUMNS:.*]]>
// CHECK-NOT: simt.convert
// CHECK: tile.scan
// CHECK-NOT: simt.convert
// CHECK: tile.store_view {{.*}} tensor<64x64xf32, #[[COLUMNS]]>
tile.kernel @columns(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %s: f32) attributes {tile.num_warps = 2 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %from = tile.make_view %x shape[%n, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %v = tile.load_view %from[%z, %z] checked [false, false] {group = 1 : i64} : !tile.view<64x64xf32> -> tensor<64x64xf32>
  %sums = tile.scan(%v) axis 0 : (tensor<64x64xf32>) -> tensor<64x64xf32> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  }
  %scale = tile.splat %s : f32 -> tensor<64x64xf32>
  %scaled = arith.mulf %sums, %scale : tensor<64x64xf32>
  %to = tile.make_view %out shape[%n, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  tile.store_view %to[%z, %z], %scaled checked [false, false] {group = 2 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// A quotient by a constant is made again; with another divisor it is moved.
// CHECK-LABEL: tile.kernel @quotients
// CHECK-NOT: simt.convert
// CHECK-COUNT-2: tile.divsi
// CHECK-NOT: simt.convert
// CHECK: tile.store_view
tile.kernel @quotients(%out: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %n: i64) attributes {tile.num_warps = 4 : i32} {
  %range = tile.range 0 to 32 : tensor<32xi32>
  %by = arith.constant dense<7> : tensor<32xi32>
  %q = tile.divsi %range, %by : tensor<32xi32>
  %down = tile.reshape %q : tensor<32xi32> -> tensor<32x1xi32>
  %across = tile.reshape %q : tensor<32xi32> -> tensor<1x32xi32>
  %a = tile.broadcast %down : tensor<32x1xi32> -> tensor<32x32xi32>
  %b = tile.broadcast %across : tensor<1x32xi32> -> tensor<32x32xi32>
  %sum = arith.addi %a, %b : tensor<32x32xi32>
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %vo = tile.make_view %out shape[%n, %n] strides[%n, %one] : !tile.ptr<i32> -> !tile.view<32x32xi32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] : !tile.view<32x32xi32>, tensor<32x32xi32>
  tile.return
}

// CHECK-LABEL: tile.kernel @unknown_divisor
// CHECK: simt.convert
// CHECK: tile.store_view
tile.kernel @unknown_divisor(%out: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %n: i64, %d: i32) attributes {tile.num_warps = 4 : i32} {
  %range = tile.range 0 to 32 : tensor<32xi32>
  %by = tile.splat %d : i32 -> tensor<32xi32>
  %q = tile.divsi %range, %by : tensor<32xi32>
  %down = tile.reshape %q : tensor<32xi32> -> tensor<32x1xi32>
  %across = tile.reshape %q : tensor<32xi32> -> tensor<1x32xi32>
  %a = tile.broadcast %down : tensor<32x1xi32> -> tensor<32x32xi32>
  %b = tile.broadcast %across : tensor<1x32xi32> -> tensor<32x32xi32>
  %sum = arith.addi %a, %b : tensor<32x32xi32>
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %vo = tile.make_view %out shape[%n, %n] strides[%n, %one] : !tile.ptr<i32> -> !tile.view<32x32xi32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] : !tile.view<32x32xi32>, tensor<32x32xi32>
  tile.return
}

// A long row is loaded again too, where few vectors bring it: 64 elements of a
// thread in 8.
// CHECK-LABEL: tile.kernel @long_row_again
// CHECK: tile.load_view {{.*}} -> tensor<2048xbf16
// CHECK-NOT: simt.convert {{.*}}2048
// CHECK: tile.reduce
// CHECK: tile.return
tile.kernel @long_row_again(%x: !tile.ptr<bf16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %w: !tile.ptr<bf16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.group = 3 : i64}) attributes {tile.num_warps = 8 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %eight = arith.constant 8 : i64
  %long = arith.constant 2048 : i64
  %row = tile.make_view %x shape[%long] strides[%one] : <bf16> -> <2048xbf16>
  %rows = tile.make_view %w shape[%eight, %long] strides[%long, %one] : <bf16> -> <8x2048xbf16>
  %a = tile.load_view %row[%z] checked [false] {group = 1 : i64} : <2048xbf16> -> tensor<2048xbf16>
  %b = tile.load_view %rows[%z, %z] checked [false, false] {group = 2 : i64} : <8x2048xbf16> -> tensor<8x2048xbf16>
  %flat = tile.reshape %a : tensor<2048xbf16> -> tensor<1x2048xbf16>
  %all = tile.broadcast %flat : tensor<1x2048xbf16> -> tensor<8x2048xbf16>
  %product = arith.mulf %all, %b : tensor<8x2048xbf16>
  %sum = tile.reduce(%product) axis 1 : (tensor<8x2048xbf16>) -> tensor<8xbf16> {
  ^bb0(%p: bf16, %q: bf16):
    %s = arith.addf %p, %q : bf16
    tile.yield %s : bf16
  }
  %wide = arith.extf %sum : tensor<8xbf16> to tensor<8xf32>
  %at = tile.range 0 to 8 : tensor<8xi32>
  %base = tile.splat %out : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %to = tile.addptr %base, %at : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %to, %wide {group = 3 : i64} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  tile.return
}

// A column whose elements lie apart is not loaded a second time: each lane would
// read a sector again.
// CHECK-LABEL: tile.kernel @no_column_again
// CHECK-COUNT-1: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK: simt.convert
// CHECK: tile.return
tile.kernel @no_column_again(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %apart: i64) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 32 : i64
  %column = tile.make_view %x shape[%m] strides[%apart] : !tile.ptr<f32> -> !tile.view<32xf32>
  %v = tile.load_view %column[%z] checked [false] {group = 1 : i64} : !tile.view<32xf32> -> tensor<32xf32>
  %down = tile.reshape %v : tensor<32xf32> -> tensor<32x1xf32>
  %across = tile.reshape %v : tensor<32xf32> -> tensor<1x32xf32>
  %a = tile.broadcast %down : tensor<32x1xf32> -> tensor<32x32xf32>
  %b = tile.broadcast %across : tensor<1x32xf32> -> tensor<32x32xf32>
  %sum = arith.mulf %a, %b : tensor<32x32xf32>
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<32x32xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 2 : i64} : !tile.view<32x32xf32>, tensor<32x32xf32>
  tile.return
}

// What is repeated beside itself is moved once, before: a row of words of which
// each element is taken in turn.
// CHECK-LABEL: tile.kernel @repeated
// CHECK: %[[V:.*]] = simt.convert {{.*}} tensor<64x32xi32
// CHECK-NEXT: tile.join
// CHECK-NOT: simt.convert
// CHECK: tile.store
tile.kernel @repeated(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<i16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = arith.constant 64 : i64
  %words = arith.constant 32 : i64
  %all = arith.constant 128 : i64
  %vx = tile.make_view %x shape[%rows, %words] strides[%one, %rows] : <i32> -> <64x32xi32>
  %v = tile.load_view %vx[%z, %z] checked [false, false] {group = 1 : i64} : <64x32xi32> -> tensor<64x32xi32>
  %two = tile.join %v, %v : tensor<64x32xi32> -> tensor<64x32x2xi32>
  %pairs = tile.reshape %two : tensor<64x32x2xi32> -> tensor<64x64xi32>
  %four = tile.join %pairs, %pairs : tensor<64x64xi32> -> tensor<64x64x2xi32>
  %wide = tile.reshape %four : tensor<64x64x2xi32> -> tensor<64x128xi32>
  %part = arith.trunci %wide : tensor<64x128xi32> to tensor<64x128xi16>
  %vy = tile.make_view %y shape[%rows, %all] strides[%all, %one] : <i16> -> <64x128xi16>
  tile.store_view %vy[%z, %z], %part checked [false, false] {group = 2 : i64} : <64x128xi16>, tensor<64x128xi16>
  tile.return
}
