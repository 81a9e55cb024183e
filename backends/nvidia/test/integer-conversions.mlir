// A float that becomes an integer is rounded, brought within the integer's limits
// and, if it is no number, made zero by one instruction; bytes are packed by two.
// RUN: split-file %s %t
// RUN: tz compile %t/bytes.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/bytes.mlir
// RUN: tz compile %t/words.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/words.mlir
// RUN: tz compile %t/alone.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/alone.mlir

//--- bytes.mlir
// CHECK-LABEL: .entry bytes
// CHECK-NOT: setp
// CHECK-NOT: {{min|max}}.f32
// CHECK-COUNT-4: cvt.rni.s32.f32
// CHECK-COUNT-2: cvt.pack.sat.s8.s32.b32
// CHECK-NOT: prmt
// CHECK: st.global{{.*}}.b32
tile.kernel @bytes(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<i8> {tile.divisibility = 16 : i64, tile.group = 2 : i64}) attributes {tile.num_warps = 1 : i32} {
  %at = tile.range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %from = tile.addptr %xs, %at : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %from {group = 1 : i64} : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %whole = tile.math rint %v : tensor<128xf32>
  %bytes = tile.fptosi %whole : tensor<128xf32> to tensor<128xi8>
  %ys = tile.splat %y : !tile.ptr<i8> -> tensor<128x!tile.ptr<i8>>
  %to = tile.addptr %ys, %at : tensor<128x!tile.ptr<i8>>, tensor<128xi32>
  tile.store %to, %bytes {group = 2 : i64} : tensor<128x!tile.ptr<i8>>, tensor<128xi8>
  tile.return
}

//--- words.mlir
// Words that are brought within the limits of bytes; a number below zero is zero.
// CHECK-LABEL: .entry words
// CHECK-NOT: {{min|max}}.{{[us]}}32
// CHECK-COUNT-2: cvt.pack.sat.u8.s32.b32
// CHECK: st.global{{.*}}.b32
tile.kernel @words(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<i8> {tile.divisibility = 16 : i64, tile.group = 2 : i64}) attributes {tile.num_warps = 1 : i32} {
  %low = arith.constant dense<0> : tensor<128xi32>
  %high = arith.constant dense<255> : tensor<128xi32>
  %at = tile.range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %from = tile.addptr %xs, %at : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %v = tile.load %from {group = 1 : i64} : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %positive = tile.maxsi %v, %low : tensor<128xi32>
  %limited = tile.minsi %positive, %high : tensor<128xi32>
  %bytes = arith.trunci %limited : tensor<128xi32> to tensor<128xi8>
  %ys = tile.splat %y : !tile.ptr<i8> -> tensor<128x!tile.ptr<i8>>
  %to = tile.addptr %ys, %at : tensor<128x!tile.ptr<i8>>, tensor<128xi32>
  tile.store %to, %bytes {group = 2 : i64} : tensor<128x!tile.ptr<i8>>, tensor<128xi8>
  tile.return
}

//--- alone.mlir
// Alone, and of other widths. PTX makes no zero of a NaN where 64 bits are.
// CHECK-LABEL: .entry alone
// CHECK: cvt.rzi.u32.f32
// CHECK: cvt.rmi.s16.f32
// CHECK: cvt.rzi.s64.f32 [[LONG:%rd[0-9]+]],
// CHECK: setp.nan.f32
// CHECK: selp.b64 %rd{{[0-9]+}}, 0, [[LONG]],
// CHECK: cvt.rpi.s32.f64 [[WORD:%r[0-9]+]],
// CHECK: setp.nan.f64
// CHECK: selp.b32 %r{{[0-9]+}}, 0, [[WORD]],
tile.kernel @alone(%x: !tile.ptr<i32>, %y: !tile.ptr<i16>, %z: !tile.ptr<i64>, %v: f32, %w: f64) {
  %word = tile.fptoui %v : f32 to i32
  tile.store %x, %word : !tile.ptr<i32>, i32
  %below = tile.math floor %v : f32
  %short = tile.fptosi %below : f32 to i16
  tile.store %y, %short : !tile.ptr<i16>, i16
  %long = tile.fptosi %v : f32 to i64
  tile.store %z, %long : !tile.ptr<i64>, i64
  %above = tile.math ceil %w : f64
  %of_double = tile.fptosi %above : f64 to i32
  tile.store %x, %of_double : !tile.ptr<i32>, i32
  tile.return
}
