// A program's number times a stride: one multiplication of 32 bits by 32, though
// one factor is extended with zeros and the other with its sign. So it is where the
// stride is in bytes, and where a lane's number is a factor.
// RUN: split-file %s %t
// RUN: tz compile %t/strides.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=STRIDES
// RUN: tz compile %t/sums.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=SUMS
// RUN: tz compile %t/long.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=LONG

// STRIDES-NOT: {{mul|mad}}.lo.s64
// STRIDES-COUNT-2: mul.wide.s32
// STRIDES-NOT: {{mul|mad}}.lo.s64
// STRIDES: ret;
//--- strides.mlir
tile.kernel @strides(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %rows: i32, %columns: i32) attributes {tile.num_warps = 1 : i32} {
  %pid = tile.program_id 0
  %number = arith.extsi %pid : i32 to i64
  %row = arith.extsi %rows : i32 to i64
  %at = arith.muli %number, %row : i64
  %base = tile.addptr %x, %at : !tile.ptr<f32>, i64
  %lanes = tile.range 0 to 32 : tensor<32xi32>
  %wide = arith.extsi %lanes : tensor<32xi32> to tensor<32xi64>
  %column = arith.extsi %columns : i32 to i64
  %by = tile.splat %column : i64 -> tensor<32xi64>
  %offsets = arith.muli %wide, %by : tensor<32xi64>
  %all = tile.splat %base : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %from = tile.addptr %all, %offsets : tensor<32x!tile.ptr<f32>>, tensor<32xi64>
  %v = tile.load %from : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %out = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %to = tile.addptr %out, %lanes : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %to, %v : tensor<32x!tile.ptr<f32>>, tensor<32xf32>
  tile.return
}

// Two of them are added to each other, then once to the address.
// SUMS: mul.wide.s32 [[A:%rd[0-9]+]]
// SUMS: mul.wide.s32 [[B:%rd[0-9]+]]
// SUMS: add.s64 [[SUM:%rd[0-9]+]], [[A]], [[B]];
// SUMS: shl.b64 {{.*}}, [[SUM]], 2;
// SUMS-NOT: shl.b64
// SUMS: ret;
//--- sums.mlir
tile.kernel @sums(%x: !tile.ptr<f32>, %batches: i32, %heads: i32) attributes {tile.num_warps = 1 : i32} {
  %p0 = tile.program_id 0
  %p1 = tile.program_id 1
  %batch = arith.extsi %p0 : i32 to i64
  %head = arith.extsi %p1 : i32 to i64
  %ofBatch = arith.extsi %batches : i32 to i64
  %ofHead = arith.extsi %heads : i32 to i64
  %a = arith.muli %batch, %ofBatch : i64
  %b = arith.muli %head, %ofHead : i64
  %first = tile.addptr %x, %a : !tile.ptr<f32>, i64
  %to = tile.addptr %first, %b : !tile.ptr<f32>, i64
  %one = arith.constant 1.0 : f32
  tile.store %to, %one : !tile.ptr<f32>, f32
  tile.return
}

// A factor of more than 32 bits keeps all of its own.
// LONG: mul.lo.s64
//--- long.mlir
tile.kernel @long(%x: !tile.ptr<f32>, %rows: i64) attributes {tile.num_warps = 1 : i32} {
  %pid = tile.program_id 0
  %number = arith.extsi %pid : i32 to i64
  %at = arith.muli %number, %rows : i64
  %to = tile.addptr %x, %at : !tile.ptr<f32>, i64
  %one = arith.constant 1.0 : f32
  tile.store %to, %one : !tile.ptr<f32>, f32
  tile.return
}
