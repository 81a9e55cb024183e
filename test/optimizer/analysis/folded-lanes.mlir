// Who sees the lanes in which offsets wrap around or stop at a limit.
// RUN: tz-opt %s --tile-print-folded-lanes -o /dev/null | FileCheck %s

// Only a store that masks them off: through arithmetic, a product's rows and a
// reduction of the other dimension.
// CHECK-LABEL: tile-print-folded-lanes @unseen
// CHECK-NEXT: tile.load %14: fold of dim 0 is unseen
tile.kernel @unseen(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %c32 = arith.constant 32 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c32 : i32
  %lanes = tile.range 0 to 32 : tensor<32xi32>
  %from = tile.splat %first : i32 -> tensor<32xi32>
  %at = arith.addi %from, %lanes : tensor<32xi32>
  %limit = tile.splat %n : i32 -> tensor<32xi32>
  %rest = tile.remsi %at, %limit : tensor<32xi32>
  %r1 = tile.reshape %rest : tensor<32xi32> -> tensor<32x1xi32>
  %r2 = tile.broadcast %r1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %a1 = tile.reshape %lanes : tensor<32xi32> -> tensor<1x32xi32>
  %a2 = tile.broadcast %a1 : tensor<1x32xi32> -> tensor<32x32xi32>
  %where = arith.addi %r2, %a2 : tensor<32x32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %p = tile.addptr %base, %where : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %v = tile.load %p : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
  %b = arith.constant dense<1.0> : tensor<32x32xf32>
  %dot = tile.dot %v, %b, %b : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %sums = "tile.reduce"(%dot) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }) : (tensor<32x32xf32>) -> tensor<32xf32>
  %mask = arith.cmpi slt, %at, %limit : tensor<32xi32>
  %to = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %q = tile.addptr %to, %at : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %q, %sums mask %mask : tensor<32x!tile.ptr<f32>>, tensor<32xf32>, tensor<32xi1>
  tile.return
}

// Seen: by a sum over them, by a store that is masked at another limit, by a
// store without a mask, as addresses.
// CHECK-LABEL: tile-print-folded-lanes @seen
// CHECK-NEXT: tile.load %5: fold of dim 0 is seen: in the lanes beyond the limit, what is read there reaches a 'tile.reduce', which may use it; mask the load by offsets < limit instead
// CHECK-NEXT: tile.load %9: fold of dim 0 is seen: in the lanes beyond the limit, what is read there reaches a store that does not mask it off; mask the store by offsets < limit
// CHECK-NEXT: tile.load %12: fold of dim 0 is seen: in the lanes beyond the limit, what is read there reaches a store that does not mask it off; mask the store by offsets < limit
// CHECK-NEXT: tile.load %15: fold of dim 0 is seen: in the lanes beyond the limit, what is read there reaches a 'tile.load', which may use it; mask the load by offsets < limit instead
tile.kernel @seen(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<i32>, %n: i32, %m: i32) {
  %lanes = tile.range 0 to 32 : tensor<32xi32>
  %limit = tile.splat %n : i32 -> tensor<32xi32>
  %rest = tile.remsi %lanes, %limit : tensor<32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %p = tile.addptr %base, %rest : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %summed = tile.load %p : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %sum = "tile.reduce"(%summed) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }) : (tensor<32xf32>) -> f32
  %to = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %q = tile.addptr %to, %lanes : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %elsewhere = tile.load %p : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %other = tile.splat %m : i32 -> tensor<32xi32>
  %mask = arith.cmpi slt, %lanes, %other : tensor<32xi32>
  tile.store %q, %elsewhere mask %mask : tensor<32x!tile.ptr<f32>>, tensor<32xf32>, tensor<32xi1>
  %always = tile.load %p : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  tile.store %q, %always : tensor<32x!tile.ptr<f32>>, tensor<32xf32>
  %indices = tile.splat %z : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %i = tile.addptr %indices, %rest : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  %index = tile.load %i : tensor<32x!tile.ptr<i32>> -> tensor<32xi32>
  %far = tile.addptr %base, %index : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %gathered = tile.load %far : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  tile.return
}

// Offsets that wrap are no formula. Only of which an address is made, are they
// known not to; an `and` takes bits, it is no such way.
// CHECK-LABEL: tile-print-folded-lanes @wrapping
// CHECK-NEXT: tile.load %7: fold of dim 0 is seen: the offsets before they are folded may overflow; compute them in int64, or store by the same offsets
tile.kernel @wrapping(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %m: i32) {
  %lanes = tile.range 0 to 32 : tensor<32xi32>
  %from = tile.splat %m : i32 -> tensor<32xi32>
  %at = arith.addi %from, %lanes : tensor<32xi32>
  %limit = tile.splat %n : i32 -> tensor<32xi32>
  %rest = tile.remsi %at, %limit : tensor<32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %p = tile.addptr %base, %rest : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %p : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %left = arith.subi %limit, %from : tensor<32xi32>
  %mask = arith.cmpi slt, %lanes, %left : tensor<32xi32>
  %to = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %q = tile.addptr %to, %lanes : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %q, %v mask %mask : tensor<32x!tile.ptr<f32>>, tensor<32xf32>, tensor<32xi1>
  %seven = arith.constant dense<7> : tensor<32xi32>
  %bits = arith.andi %at, %seven : tensor<32xi32>
  %r = tile.addptr %base, %bits : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %w = tile.load %r : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  tile.return
}
