// The first element of a program is a product that 32 bits may not hold, and the end of
// the array is a number of 32 bits. A program beyond the last that 31 bits hold has no
// element: it is told apart, and each index of the others has 32 bits, as the address
// is made of that one index.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s
// CHECK: mov.u32 [[PID:%r[0-9]+]], %ctaid.x;
// CHECK: shl.b32 [[FIRST:%r[0-9]+]], [[PID]], 8;
// CHECK: setp.lt.u32 [[FITS:%p[0-9]+]], [[PID]], 8388608;
// CHECK: or.b32 [[INDEX:%r[0-9]+]], [[FIRST]], {{%r[0-9]+}};
// CHECK: mul.wide.s32 {{%rd[0-9]+}}, [[INDEX]], 4;
// CHECK-NOT: setp.{{.*}}64
// CHECK: ret;
tile.kernel @twice(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %width = arith.constant 256 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %width : i32
  %lanes = tile.range 0 to 256 : tensor<256xi32>
  %from = tile.splat %first : i32 -> tensor<256xi32>
  %at = arith.addi %from, %lanes : tensor<256xi32>
  %limit = tile.splat %n : i32 -> tensor<256xi32>
  %inside = arith.cmpi slt, %at, %limit : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %xs, %at : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %p mask %inside {group = 1 : i64} : tensor<256x!tile.ptr<f32>> mask tensor<256xi1> -> tensor<256xf32>
  %w = arith.addf %v, %v : tensor<256xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %q = tile.addptr %os, %at : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %q, %w mask %inside {group = 2 : i64} : tensor<256x!tile.ptr<f32>>, tensor<256xf32>, tensor<256xi1>
  tile.return
}
