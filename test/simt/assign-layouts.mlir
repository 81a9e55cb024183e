// Lanes go along what is consecutive in memory; what is computed with an access
// has its layout; where two meet, a conversion stands.
// RUN: tz-opt %s --simt-assign-layouts | FileCheck %s

// 16 bytes a lane, as the base is aligned; the sum has the loads' layout.
// CHECK-DAG: #[[WIDE:.*]] = #simt.layout<rank 1, register {{\[}}[1], [2], [512]], lane {{\[}}[4], [8], [16], [32], [64]], warp {{\[}}[128], [256]]>
// CHECK-DAG: #[[ROWS:.*]] = #simt.layout<rank 2, register {{\[}}[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
// CHECK-DAG: #[[LONG:.*]] = #simt.layout<rank 2, register {{\[}}[0, 1], [0, 2], [0, 512], [1, 0]], lane {{\[}}[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp {{\[}}[0, 128], [0, 256]]>
// CHECK-DAG: #[[ROW_LANES:.*]] = #simt.layout<rank 2, register {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], lane {{\[}}[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>
// CHECK-DAG: #[[SINGLE:.*]] = #simt.layout<rank 2, register {{\[}}[8, 0], [16, 0], [32, 0]], lane {{\[}}[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp {{\[}}[2, 0], [4, 0]]>
// CHECK-DAG: #[[ROW_RUNS:.*]] = #simt.layout<rank 2, register {{\[}}[0, 1], [0, 2], [16, 0], [32, 0], [64, 0]], lane {{\[}}[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp {{\[}}[4, 0], [8, 0]]>
// CHECK-DAG: #[[REPEATED:.*]] = #simt.layout<rank 2, register {{\[}}[0, 1], [0, 2], [0, 512], [1, 0], [2, 0]], lane {{\[}}[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp {{\[}}[0, 128], [0, 256]]>
// CHECK-DAG: #[[OWN_ROWS:.*]] = #simt.layout<rank 2, register {{\[}}[0, 1], [0, 2], [0, 128], [0, 256], [0, 512]], lane {{\[}}[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp {{\[}}[1, 0], [2, 0]]>
// CHECK-LABEL: tile.kernel @example
tile.kernel @example(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i64) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %view = tile.make_view %x shape[%n] strides[%one] : <f32> -> <1024xf32>
  // CHECK: tile.load_view {{.*}} -> tensor<1024xf32, #[[WIDE]]>
  %a = tile.load_view %view[%zero] checked [true] : <1024xf32> -> tensor<1024xf32>
  // CHECK: arith.addf {{.*}} : tensor<1024xf32, #[[WIDE]]>
  %b = arith.addf %a, %a : tensor<1024xf32>
  // CHECK-NOT: simt.convert
  tile.store_view %view[%zero], %b checked [true] : <1024xf32>, tensor<1024xf32>
  tile.return
}

// Columns are consecutive: the first dimension is the fast one. A row of it has
// the layout without that dimension.
// CHECK-LABEL: tile.kernel @columns
tile.kernel @columns(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f16>, %n: i64) attributes {tile.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %view = tile.make_view %x shape[%n, %n] strides[%one, %n] : <f16> -> <32x32xf16>
  // CHECK: tile.load_view {{.*}} -> tensor<32x32xf16, #[[COLUMNS:.*]]>
  %a = tile.load_view %view[%zero, %zero] checked [true, true] : <32x32xf16> -> tensor<32x32xf16>
  // CHECK: tile.reduce({{.*}}) axis 1 {{.*}} -> tensor<32xf16, #[[SUMS:.*]]>
  %sum = "tile.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%l: f16, %r: f16):
    %s = arith.addf %l, %r : f16
    tile.yield %s : f16
  }) : (tensor<32x32xf16>) -> tensor<32xf16>
  %to = tile.make_view %out shape[%n] strides[%one] : <f16> -> <32xf16>
  // CHECK: simt.convert {{.*}} : tensor<32xf16, #[[SUMS]]> -> tensor<32xf16, #[[STORE:.*]]>
  // CHECK: tile.store_view {{.*}} tensor<32xf16, #[[STORE]]>
  tile.store_view %to[%zero], %sum checked [true] : <32xf16>, tensor<32xf16>
  tile.return
}

// Neither stride is known to be 1. Rows are probably those whose distance is a
// multiple of something: lanes go along the other dimension.
// CHECK-LABEL: tile.kernel @no_dense_dimension
// CHECK: tile.load_view {{.*}} -> tensor<32x32xf16, #[[ROWS]]>
// CHECK: tile.load_view {{.*}} -> tensor<32x32xf16, #[[ROW_LANES]]>
tile.kernel @no_dense_dimension(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %near: i64, %far: i64 {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %many = arith.constant 32 : i64
  %columns = tile.make_view %x shape[%many, %many] strides[%near, %far] : <f16> -> <32x32xf16>
  %a = tile.load_view %columns[%zero, %zero] checked [false, false] : <32x32xf16> -> tensor<32x32xf16>
  tile.store_view %columns[%zero, %zero], %a checked [false, false] : <32x32xf16>, tensor<32x32xf16>
  %rows = tile.make_view %x shape[%many, %many] strides[%far, %near] : <f16> -> <32x32xf16>
  %b = tile.load_view %rows[%zero, %zero] checked [false, false] : <32x32xf16> -> tensor<32x32xf16>
  tile.store_view %rows[%zero, %zero], %b checked [false, false] : <32x32xf16>, tensor<32x32xf16>
  tile.return
}

// Nothing is proven of rows that wrap around, but lanes along them probably lie
// beside each other: they go there, one element each. (A stride that is not known
// says nothing.)
// CHECK-LABEL: tile.kernel @wraps
tile.kernel @wraps(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32, %stride: i32) attributes {tile.num_warps = 1 : i32} {
  %r = tile.range 0 to 32 : tensor<32xi32>
  %ns = tile.splat %n : i32 -> tensor<32xi32>
  %wrapped = tile.remsi %r, %ns : tensor<32xi32>
  %column = tile.reshape %wrapped : tensor<32xi32> -> tensor<32x1xi32>
  %rows = tile.broadcast %column : tensor<32x1xi32> -> tensor<32x32xi32>
  %strides = tile.splat %stride : i32 -> tensor<32xi32>
  %far = arith.muli %r, %strides : tensor<32xi32>
  %line = tile.reshape %far : tensor<32xi32> -> tensor<1x32xi32>
  %columns = tile.broadcast %line : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %rows, %columns : tensor<32x32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %p = tile.addptr %base, %offsets : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  // CHECK: tile.load {{.*}} -> tensor<32x32xf32, #[[ROWS]]>
  %a = tile.load %p : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
  tile.store %p, %a : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xf32>
  tile.return
}

// The same of every second element, as a convolution of stride 2 reads them:
// lanes share sectors of memory.
// CHECK-LABEL: tile.kernel @wraps_by_two
tile.kernel @wraps_by_two(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32, %stride: i32) attributes {tile.num_warps = 1 : i32} {
  %r = tile.range 0 to 32 : tensor<32xi32>
  %ns = tile.splat %n : i32 -> tensor<32xi32>
  %wrapped = tile.remsi %r, %ns : tensor<32xi32>
  %two = arith.constant dense<2> : tensor<32xi32>
  %steps = arith.muli %wrapped, %two : tensor<32xi32>
  %column = tile.reshape %steps : tensor<32xi32> -> tensor<32x1xi32>
  %rows = tile.broadcast %column : tensor<32x1xi32> -> tensor<32x32xi32>
  %strides = tile.splat %stride : i32 -> tensor<32xi32>
  %far = arith.muli %r, %strides : tensor<32xi32>
  %line = tile.reshape %far : tensor<32xi32> -> tensor<1x32xi32>
  %columns = tile.broadcast %line : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %rows, %columns : tensor<32x32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %p = tile.addptr %base, %offsets : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  // CHECK: tile.load {{.*}} -> tensor<32x32xf32, #[[ROWS]]>
  %a = tile.load %p : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
  tile.store %p, %a : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xf32>
  tile.return
}

// A dot's layout wins over that of a load that is added to it; operands are
// staged, as this target has no matrix instruction.
// CHECK-LABEL: tile.kernel @dot
tile.kernel @dot(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %width = arith.constant 32 : i64
  %view = tile.make_view %x shape[%width, %width] strides[%width, %one] : <f16> -> <32x32xf16>
  // CHECK: %[[A:.*]] = tile.load_view
  %a = tile.load_view %view[%zero, %zero] checked [false, false] : <32x32xf16> -> tensor<32x32xf16>
  %to = tile.make_view %out shape[%width, %width] strides[%width, %one] : <f32> -> <32x32xf32>
  // CHECK: %[[C:.*]] = tile.load_view {{.*}} -> tensor<32x32xf32, #[[ROWS:.*]]>
  %c = tile.load_view %to[%zero, %zero] checked [false, false] : <32x32xf32> -> tensor<32x32xf32>
  // CHECK-DAG: simt.stage %[[A]]
  // CHECK: simt.dot {{.*}} -> tensor<32x32xf32, #[[ACC:.*]]>
  %d = tile.dot %a, %a, %c : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  // CHECK: arith.mulf {{.*}} : tensor<32x32xf32, #[[ACC]]>
  %e = arith.mulf %d, %d : tensor<32x32xf32>
  tile.store_view %to[%zero, %zero], %e checked [false, false] : <32x32xf32>, tensor<32x32xf32>
  tile.return
}

// The zero where a product begins is also where a ramp ends. That does not make
// the ramp lie as the product does: it is computed as it was loaded.
// CHECK-LABEL: tile.kernel @shared_zero
tile.kernel @shared_zero(%x: !tile.ptr<f32> {tile.divisibility = 8 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %width = arith.constant 32 : i64
  %none = arith.constant dense<0.0> : tensor<32x32xf32>
  %view = tile.make_view %x shape[%width, %width] strides[%width, %one] : <f32> -> <32x32xf32>
  // CHECK: %[[X:.*]] = tile.load_view {{.*}} -> tensor<32x32xf32, #[[OWN:.*]]>
  %a = tile.load_view %view[%zero, %zero] checked [false, false] : <32x32xf32> -> tensor<32x32xf32>
  // CHECK: arith.cmpf ogt, %[[X]], {{.*}} : tensor<32x32xf32, #[[OWN]]>
  %above = arith.cmpf ogt, %a, %none : tensor<32x32xf32>
  %ramp = arith.select %above, %a, %none : tensor<32x32xi1>, tensor<32x32xf32>
  %d = tile.dot %ramp, %ramp, %none : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %e = arith.mulf %d, %d : tensor<32x32xf32>
  %to = tile.make_view %out shape[%width, %width] strides[%width, %one] : <f32> -> <32x32xf32>
  tile.store_view %to[%zero, %zero], %e checked [false, false] : <32x32xf32>, tensor<32x32xf32>
  tile.return
}

// Columns that a load and a store along different dimensions count by: only
// their 32 numbers are converted, not the offsets that are made of them.
// CHECK-LABEL: tile.kernel @shared_columns
// CHECK: arith.addi
// CHECK: %[[BY_ROWS:.*]] = arith.addi
// CHECK: %[[BY_COLUMNS:.*]] = arith.addi
// CHECK: tile.addptr {{.*}}, %[[BY_ROWS]] :
// CHECK: tile.addptr {{.*}}, %[[BY_COLUMNS]] :
tile.kernel @shared_columns(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %numbers: !tile.ptr<i32>) attributes {tile.num_warps = 1 : i32} {
  %r = tile.range 0 to 32 : tensor<32xi32>
  %line = tile.reshape %r : tensor<32xi32> -> tensor<1x32xi32>
  %columns = tile.broadcast %line : tensor<1x32xi32> -> tensor<32x32xi32>
  %ns = tile.splat %numbers : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %pn = tile.addptr %ns, %r : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  %number = tile.load %pn : tensor<32x!tile.ptr<i32>> -> tensor<32xi32>
  %column = tile.reshape %r : tensor<32xi32> -> tensor<32x1xi32>
  %rows = tile.broadcast %column : tensor<32x1xi32> -> tensor<32x32xi32>
  %width = arith.constant dense<1024> : tensor<32x32xi32>
  %down = arith.muli %rows, %width : tensor<32x32xi32>
  %numbered = tile.reshape %number : tensor<32xi32> -> tensor<32x1xi32>
  %other = tile.broadcast %numbered : tensor<32x1xi32> -> tensor<32x32xi32>
  %places = arith.addi %other, %down : tensor<32x32xi32>
  %byRows = arith.addi %columns, %places : tensor<32x32xi32>
  %across = arith.muli %columns, %width : tensor<32x32xi32>
  %byColumns = arith.addi %rows, %across : tensor<32x32xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %px = tile.addptr %xs, %byRows : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %a = tile.load %px : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %po = tile.addptr %outs, %byColumns : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  tile.store %po, %a : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xf32>
  tile.return
}

// Two long rows that are added up: the warps lie along the row, and a thread has
// both elements of its columns. The sums lie as the store wants them.
// CHECK-LABEL: tile.kernel @few_rows
tile.kernel @few_rows(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i64) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %width = arith.constant 1024 : i64
  %view = tile.make_view %x shape[%n, %width] strides[%width, %one] : <f32> -> <2x1024xf32>
  // CHECK: tile.load_view {{.*}} -> tensor<2x1024xf32, #[[LONG]]>
  %a = tile.load_view %view[%zero, %zero] checked [true, false] : <2x1024xf32> -> tensor<2x1024xf32>
  %sum = "tile.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }) : (tensor<2x1024xf32>) -> tensor<1024xf32>
  %to = tile.make_view %out shape[%width] strides[%one] : <f32> -> <1024xf32>
  // CHECK-NOT: simt.convert
  // CHECK: tile.store_view {{.*}} tensor<1024xf32, #[[WIDE]]>
  tile.store_view %to[%zero], %sum checked [false] : <1024xf32>, tensor<1024xf32>
  tile.return
}

// What a loop adds up from reductions moves once, behind it.
// CHECK-LABEL: tile.kernel @carried
tile.kernel @carried(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i64) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = arith.constant dense<0.0> : tensor<32xf32>
  %view = tile.make_view %x shape[%n, %n] strides[%n, %one] : <f32> -> <32x128xf32>
  // CHECK: %[[SUM:.*]] = scf.for
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %rows) -> (tensor<32xf32>) : i64 {
    // CHECK: tile.reduce({{.*}}) axis 1 {{.*}} -> tensor<32xf32, #[[PARTS:.*]]> {
    // CHECK-NOT: simt.convert
    // CHECK: arith.addf {{.*}} : tensor<32xf32, #[[PARTS]]>
    %a = tile.load_view %view[%zero, %i] checked [true, true] : <32x128xf32> -> tensor<32x128xf32>
    %part = "tile.reduce"(%a) <{axis = 1 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      tile.yield %s : f32
    }) : (tensor<32x128xf32>) -> tensor<32xf32>
    %next = arith.addf %acc, %part : tensor<32xf32>
    // CHECK-NOT: simt.convert
    // CHECK: scf.yield
    scf.yield %next : tensor<32xf32>
  }
  %to = tile.make_view %out shape[%n] strides[%one] : <f32> -> <32xf32>
  // CHECK: simt.convert %[[SUM]]
  // CHECK: tile.store_view
  tile.store_view %to[%zero], %sum checked [true] : <32xf32>, tensor<32xf32>
  tile.return
}

// A thread scans what it loads at once; the eight lanes of a row tell each other
// one value for each of a thread's runs.
// CHECK-LABEL: tile.kernel @scan
tile.kernel @scan(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i64) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %pitch = arith.constant 32 : i64
  %view = tile.make_view %x shape[%n, %pitch] strides[%pitch, %one] : <f32> -> <128x32xf32>
  %a = tile.load_view %view[%zero, %zero] checked [true, false] : <128x32xf32> -> tensor<128x32xf32>
  // CHECK-NOT: simt.convert
  // CHECK: tile.scan({{.*}}) axis 1 : (tensor<128x32xf32, #[[ROW_RUNS]]>)
  %rows = tile.scan (%a) axis 1 : (tensor<128x32xf32>) -> tensor<128x32xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tile.yield %s : f32
  }
  tile.store_view %view[%zero, %zero], %rows checked [true, false] : <128x32xf32>, tensor<128x32xf32>
  tile.return
}

// A large tile is scanned as it was loaded: an exchange would take 64 KiB of
// shared memory.
// CHECK-LABEL: tile.kernel @long_scan
// CHECK-NOT: simt.convert
// CHECK: tile.scan
// CHECK-NOT: simt.convert
// CHECK: tile.return
tile.kernel @long_scan(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 16 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 16384 : i64
  %view = tile.make_view %x shape[%n] strides[%one] : <f32> -> <16384xf32>
  %a = tile.load_view %view[%zero] checked [false] : <16384xf32> -> tensor<16384xf32>
  %sums = tile.scan (%a) axis 0 : (tensor<16384xf32>) -> tensor<16384xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tile.yield %s : f32
  }
  tile.store_view %view[%zero], %sums checked [false] : <16384xf32>, tensor<16384xf32>
  tile.return
}

// With two warps there are 64 stretches; it is moved.
// CHECK-LABEL: tile.kernel @long_scan_of_few
// CHECK: simt.convert
// CHECK: tile.scan
// CHECK: simt.convert
tile.kernel @long_scan_of_few(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 16384 : i64
  %view = tile.make_view %x shape[%n] strides[%one] : <f32> -> <16384xf32>
  %a = tile.load_view %view[%zero] checked [false] : <16384xf32> -> tensor<16384xf32>
  %sums = tile.scan (%a) axis 0 : (tensor<16384xf32>) -> tensor<16384xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tile.yield %s : f32
  }
  tile.store_view %view[%zero], %sums checked [false] : <16384xf32>, tensor<16384xf32>
  tile.return
}

// What is stored is twice as wide as what is loaded: a thread holds what it
// stores at once.
// CHECK-LABEL: tile.kernel @widened
// CHECK: tile.load_view {{.*}} -> tensor<1024xbf16, #[[WIDE]]>
// CHECK-NOT: simt.convert
// CHECK: tile.store_view {{.*}} tensor<1024xf32, #[[WIDE]]>
tile.kernel @widened(%x: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i64) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %view = tile.make_view %x shape[%n] strides[%one] : <bf16> -> <1024xbf16>
  %to = tile.make_view %out shape[%n] strides[%one] : <f32> -> <1024xf32>
  %a = tile.load_view %view[%zero] checked [true] : <1024xbf16> -> tensor<1024xbf16>
  %wide = arith.extf %a : tensor<1024xbf16> to tensor<1024xf32>
  tile.store_view %to[%zero], %wide checked [true] : <1024xf32>, tensor<1024xf32>
  tile.return
}

// Rows of nine elements: no vector is aligned in all of them, so neighbours are
// taken by threads side by side.
// CHECK-LABEL: tile.kernel @odd_rows
// CHECK: tile.load_view {{.*}} -> tensor<64x16xf32, #[[SINGLE]]>
tile.kernel @odd_rows(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i64) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %nine = arith.constant 9 : i64
  %view = tile.make_view %x shape[%n, %nine] strides[%nine, %one] : <f32> -> <64x16xf32>
  %a = tile.load_view %view[%zero, %zero] checked [true, true] : <64x16xf32> -> tensor<64x16xf32>
  %b = arith.addf %a, %a : tensor<64x16xf32>
  tile.store_view %view[%zero, %zero], %b checked [true, true] : <64x16xf32>, tensor<64x16xf32>
  tile.return
}

// A scale of which 40 rows have one, 32 elements apart along the other
// dimension: no lanes beside each other read neighbours. In the layout of what
// it is combined with a warp reads few places, and nothing is exchanged.
// CHECK-LABEL: tile.kernel @equal_neighbours
// CHECK: tile.load {{.*}} -> tensor<64x8xf32, #[[DOWN:.*]]>
// CHECK: tile.load {{.*}} -> tensor<64x8xf32, #[[DOWN]]>
// CHECK-NOT: simt.convert
// CHECK: tile.store {{.*}} tensor<64x8xf32, #[[DOWN]]>
tile.kernel @equal_neighbours(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %scales: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 4 : i32} {
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %columns = tile.range 0 to 8 : tensor<8xi32>
  %row = tile.reshape %rows : tensor<64xi32> -> tensor<64x1xi32>
  %column = tile.reshape %columns : tensor<8xi32> -> tensor<1x8xi32>
  %i = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x8xi32>
  %j = tile.broadcast %column : tensor<1x8xi32> -> tensor<64x8xi32>
  %step = arith.constant dense<64> : tensor<64x8xi32>
  %down = arith.muli %j, %step : tensor<64x8xi32>
  %at = arith.addi %i, %down : tensor<64x8xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x8x!tile.ptr<f32>>
  %from = tile.addptr %base, %at : tensor<64x8x!tile.ptr<f32>>, tensor<64x8xi32>
  %a = tile.load %from : tensor<64x8x!tile.ptr<f32>> -> tensor<64x8xf32>
  %forty = arith.constant dense<40> : tensor<64x8xi32>
  %group = tile.divui %i, %forty : tensor<64x8xi32>
  %apart = arith.constant dense<32> : tensor<64x8xi32>
  %line = arith.muli %j, %apart : tensor<64x8xi32>
  %which = arith.addi %group, %line : tensor<64x8xi32>
  %scale = tile.splat %scales : !tile.ptr<f32> -> tensor<64x8x!tile.ptr<f32>>
  %of = tile.addptr %scale, %which : tensor<64x8x!tile.ptr<f32>>, tensor<64x8xi32>
  %b = tile.load %of : tensor<64x8x!tile.ptr<f32>> -> tensor<64x8xf32>
  %c = arith.mulf %a, %b : tensor<64x8xf32>
  tile.store %from, %c : tensor<64x8x!tile.ptr<f32>>, tensor<64x8xf32>
  tile.return
}

// Four rows meet one row, and each is summed up by more than one warp anyway:
// all warps lie along the rows, as they do along the single one, which is not
// moved.
// CHECK-LABEL: tile.kernel @common_row
// CHECK-NOT: simt.convert
// CHECK: tile.load_view {{.*}} -> tensor<2048xf32, #[[COMMON:.*]]>
// CHECK: tile.reshape {{.*}} : tensor<2048xf32, #[[COMMON]]>
// CHECK-NOT: simt.convert
// CHECK: tile.reduce
tile.kernel @common_row(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %w: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32>) attributes {tile.num_warps = 8 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %four = arith.constant 4 : i64
  %long = arith.constant 2048 : i64
  %row = tile.make_view %x shape[%long] strides[%one] : <f32> -> <2048xf32>
  %rows = tile.make_view %w shape[%four, %long] strides[%long, %one] : <f32> -> <4x2048xf32>
  %a = tile.load_view %row[%z] checked [false] : <2048xf32> -> tensor<2048xf32>
  %b = tile.load_view %rows[%z, %z] checked [false, false] : <4x2048xf32> -> tensor<4x2048xf32>
  %flat = tile.reshape %a : tensor<2048xf32> -> tensor<1x2048xf32>
  %all = tile.broadcast %flat : tensor<1x2048xf32> -> tensor<4x2048xf32>
  %product = arith.mulf %all, %b : tensor<4x2048xf32>
  %sum = tile.reduce(%product) axis 1 : (tensor<4x2048xf32>) -> tensor<4xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tile.yield %s : f32
  }
  %at = tile.range 0 to 4 : tensor<4xi32>
  %base = tile.splat %out : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %to = tile.addptr %base, %at : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  tile.store %to, %sum : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  tile.return
}

// A row that all rows of a tile meet is divided among the warps: else each of them
// would load the whole row. A thread then has an element of each row.
// CHECK-LABEL: tile.kernel @repeated_row
// CHECK: tile.store_view {{.*}} tensor<4x1024xf32, #[[REPEATED]]>
// CHECK-LABEL: tile.kernel @own_rows
// CHECK: tile.store_view {{.*}} tensor<4x1024xf32, #[[OWN_ROWS]]>
tile.kernel @repeated_row(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %few = arith.constant 4 : i64
  %n = arith.constant 1024 : i64
  %rows = tile.make_view %x shape[%n] strides[%one] : <f32> -> <1024xf32>
  %columns = tile.make_view %y shape[%few] strides[%one] : <f32> -> <4xf32>
  %row = tile.load_view %rows[%zero] checked [false] : <1024xf32> -> tensor<1024xf32>
  %column = tile.load_view %columns[%zero] checked [false] : <4xf32> -> tensor<4xf32>
  %across = tile.reshape %row : tensor<1024xf32> -> tensor<1x1024xf32>
  %down = tile.reshape %column : tensor<4xf32> -> tensor<4x1xf32>
  %a = tile.broadcast %across : tensor<1x1024xf32> -> tensor<4x1024xf32>
  %b = tile.broadcast %down : tensor<4x1xf32> -> tensor<4x1024xf32>
  %product = arith.mulf %a, %b : tensor<4x1024xf32>
  %to = tile.make_view %out shape[%few, %n] strides[%n, %one] : <f32> -> <4x1024xf32>
  tile.store_view %to[%zero, %zero], %product checked [false, false] : <4x1024xf32>, tensor<4x1024xf32>
  tile.return
}

tile.kernel @own_rows(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %few = arith.constant 4 : i64
  %n = arith.constant 1024 : i64
  %from = tile.make_view %x shape[%few, %n] strides[%n, %one] : <f32> -> <4x1024xf32>
  %a = tile.load_view %from[%zero, %zero] checked [false, false] : <4x1024xf32> -> tensor<4x1024xf32>
  %b = arith.addf %a, %a : tensor<4x1024xf32>
  %to = tile.make_view %out shape[%few, %n] strides[%n, %one] : <f32> -> <4x1024xf32>
  tile.store_view %to[%zero, %zero], %b checked [false, false] : <4x1024xf32>, tensor<4x1024xf32>
  tile.return
}
