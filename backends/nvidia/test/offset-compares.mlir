// A tile of indices that is compared with one number: their difference is computed
// once, and each element compares it with a constant. An order stays as it is: the
// difference may wrap.
// RUN: split-file %s %t
// RUN: tz compile %t/equal.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=EQUAL
// RUN: tz compile %t/below.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=BELOW

// EQUAL: sub.s32 [[PART:%r[0-9]+]]
// EQUAL: sub.s32 [[APART:%r[0-9]+]], [[PART]]
// EQUAL-DAG: setp.eq.b32 %p{{[0-9]+}}, [[APART]], 0;
// EQUAL-DAG: setp.eq.b32 %p{{[0-9]+}}, [[APART]], 1;
// EQUAL-DAG: setp.eq.b32 %p{{[0-9]+}}, [[APART]], 2;
// EQUAL-DAG: setp.eq.b32 %p{{[0-9]+}}, [[APART]], 3;
// EQUAL: ret;
//--- equal.mlir
tile.kernel @equal(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %label: !tile.ptr<i32>) attributes {tile.num_warps = 1 : i32} {
  %width = arith.constant 128 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %width : i32
  %lanes = tile.range 0 to 128 : tensor<128xi32>
  %firsts = tile.splat %first : i32 -> tensor<128xi32>
  %columns = arith.addi %firsts, %lanes : tensor<128xi32>
  %number = tile.load %label : !tile.ptr<i32> -> i32
  %numbers = tile.splat %number : i32 -> tensor<128xi32>
  %is = arith.cmpi eq, %columns, %numbers : tensor<128xi32>
  %bits = arith.extui %is : tensor<128xi1> to tensor<128xi32>
  %base = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %to = tile.addptr %base, %columns : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %to, %bits : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.return
}

// BELOW-NOT: setp.{{.*}}, {{[1-3]}};
// BELOW: ret;
//--- below.mlir
tile.kernel @below(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %label: !tile.ptr<i32>) attributes {tile.num_warps = 1 : i32} {
  %width = arith.constant 128 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %width : i32
  %lanes = tile.range 0 to 128 : tensor<128xi32>
  %firsts = tile.splat %first : i32 -> tensor<128xi32>
  %columns = arith.addi %firsts, %lanes : tensor<128xi32>
  %number = tile.load %label : !tile.ptr<i32> -> i32
  %numbers = tile.splat %number : i32 -> tensor<128xi32>
  %is = arith.cmpi slt, %columns, %numbers : tensor<128xi32>
  %bits = arith.extui %is : tensor<128xi1> to tensor<128xi32>
  %base = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %to = tile.addptr %base, %columns : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %to, %bits : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.return
}
