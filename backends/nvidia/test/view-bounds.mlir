// What a view's bounds ask of the elements of a thread.
// RUN: split-file %s %t
// RUN: tz compile %t/widths.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %t/widths.mlir
// RUN: tz compile %t/condition.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %t/condition.mlir
// RUN: tz compile %t/column.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %t/column.mlir

//--- widths.mlir
// Eight neighbours of 32 bits are two vectors. The end is a multiple of 16, so that it
// lies between no two of the eight: one comparison is for both, and for those of 16 bits.
// CHECK-LABEL: .entry widths
// CHECK-COUNT-1: setp.
// CHECK-NOT: setp.
// CHECK: ld.global.v4
// CHECK: ld.global.v4
// CHECK: ld.global.v4
// CHECK-NOT: setp.
// CHECK: ret;
tile.kernel @widths(%x: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %w: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %o: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 4 : i32} {
  %at = tile.range 0 to 1024 : tensor<1024xi32>
  %limit = tile.splat %n : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %at, %limit : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %px = tile.addptr %xs, %at : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %v = tile.load %px mask %inside {group = 1 : i64} : tensor<1024x!tile.ptr<bf16>> mask tensor<1024xi1> -> tensor<1024xbf16>
  %ws = tile.splat %w : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pw = tile.addptr %ws, %at : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %f = tile.load %pw mask %inside {group = 2 : i64} : tensor<1024x!tile.ptr<f32>> mask tensor<1024xi1> -> tensor<1024xf32>
  %g = arith.extf %v : tensor<1024xbf16> to tensor<1024xf32>
  %s = arith.addf %f, %g : tensor<1024xf32>
  %r = tile.truncf rtne %s : tensor<1024xf32> to tensor<1024xbf16>
  %os = tile.splat %o : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %po = tile.addptr %os, %at : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  tile.store %po, %r mask %inside {group = 3 : i64} : tensor<1024x!tile.ptr<bf16>>, tensor<1024xbf16>, tensor<1024xi1>
  tile.return
}

//--- condition.mlir
// A row that is there as a whole, or not at all, asks for the condition alone.
// CHECK-LABEL: .entry condition
// CHECK-COUNT-1: setp.{{(lt|gt|le|ge)}}.s32
// CHECK-NOT: setp.
// CHECK: ret;
tile.kernel @condition(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %width = arith.constant 128 : i32
  %pid = tile.program_id 0
  %there = arith.cmpi slt, %pid, %n : i32
  %inside = tile.splat %there : i1 -> tensor<128xi1>
  %first = arith.muli %pid, %width : i32
  %lanes = tile.range 0 to 128 : tensor<128xi32>
  %from = tile.splat %first : i32 -> tensor<128xi32>
  %at = arith.addi %from, %lanes : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %xs, %at : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %p mask %inside {group = 1 : i64} : tensor<128x!tile.ptr<f32>> mask tensor<128xi1> -> tensor<128xf32>
  %w = arith.addf %v, %v : tensor<128xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %os, %at : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %q, %w mask %inside {group = 2 : i64} : tensor<128x!tile.ptr<f32>>, tensor<128xf32>, tensor<128xi1>
  tile.return
}

//--- column.mlir
// A column is known in 32 bits, as a row is.
// CHECK-LABEL: .entry column
// CHECK: setp.lt.u32 {{%p[0-9]+}}, {{%r[0-9]+}}, 8388608;
// CHECK-NOT: setp.{{.*}}64
// CHECK: ret;
tile.kernel @column(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %width = arith.constant 256 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %width : i32
  %lanes = tile.range 0 to 256 : tensor<256xi32>
  %from = tile.splat %first : i32 -> tensor<256xi32>
  %row = arith.addi %from, %lanes : tensor<256xi32>
  %at = tile.reshape %row : tensor<256xi32> -> tensor<256x1xi32>
  %limit = tile.splat %n : i32 -> tensor<256x1xi32>
  %inside = arith.cmpi slt, %at, %limit : tensor<256x1xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x1x!tile.ptr<f32>>
  %p = tile.addptr %xs, %at : tensor<256x1x!tile.ptr<f32>>, tensor<256x1xi32>
  %v = tile.load %p mask %inside {group = 1 : i64} : tensor<256x1x!tile.ptr<f32>> mask tensor<256x1xi1> -> tensor<256x1xf32>
  %w = arith.addf %v, %v : tensor<256x1xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<256x1x!tile.ptr<f32>>
  %q = tile.addptr %os, %at : tensor<256x1x!tile.ptr<f32>>, tensor<256x1xi32>
  tile.store %q, %w mask %inside {group = 2 : i64} : tensor<256x1x!tile.ptr<f32>>, tensor<256x1xf32>, tensor<256x1xi1>
  tile.return
}
