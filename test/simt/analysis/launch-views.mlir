// Views whose frame the host can describe, and where they stand in it.
// RUN: tz-opt %s --simt-print-launch-views -o /dev/null | FileCheck %s

// What the program adds to the base and takes off the extent is its position; a
// batch becomes a dimension of the frame alone.
// CHECK-LABEL: simt-print-launch-views @frames
// CHECK-NEXT: tile.load_view %9: base %arg0 + 0, [%arg1, %arg2] by [%arg2, 1] at [64*%0, 0]
// CHECK-NEXT: tile.load_view %16: base %arg0 + 0, [2147483647, %arg1, %arg2] by [%arg3, %arg2, 1] at [%11, 0, 0], 1 of the frame alone
tile.kernel @frames(%x: !tile.ptr<f16>, %m: i32, %k: i32, %batch: i32) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %pid = tile.program_id 0
  %number = arith.extsi %pid : i32 to i64
  %rows = arith.extsi %m : i32 to i64
  %columns = arith.extsi %k : i32 to i64
  %down = arith.muli %number, %c64 : i64
  %left = arith.subi %rows, %down : i64
  %skip = arith.muli %down, %columns : i64
  %start = tile.addptr %x, %skip : !tile.ptr<f16>, i64
  %view = tile.make_view %start shape[%left, %columns] strides[%columns, %one] : <f16> -> <64x32xf16>
  %a = tile.load_view %view[%z, %z] checked [true, true] : <64x32xf16> -> tensor<64x32xf16>
  %stride = arith.extsi %batch : i32 to i64
  %which = tile.program_id 1
  %w = arith.extsi %which : i32 to i64
  %far = arith.muli %w, %stride : i64
  %own = tile.addptr %x, %far : !tile.ptr<f16>, i64
  %batched = tile.make_view %own shape[%rows, %columns] strides[%columns, %one] : <f16> -> <64x32xf16>
  %b = tile.load_view %batched[%z, %z] checked [true, true] : <64x32xf16> -> tensor<64x32xf16>
  tile.return
}

// None: the stride depends on the program, the base is loaded, a batch may be
// negative, the view comes out of a branch.
// CHECK-LABEL: simt-print-launch-views @none
// CHECK-NEXT: tile.load_view %4: none: a stride depends on the program
// CHECK-NEXT: tile.load_view %7: none: its base is not an argument
// CHECK-NEXT: tile.load_view %13: none: what moves its base may be negative
// CHECK-NEXT: tile.load_view %15: none: its view comes out of a branch or a loop
tile.kernel @none(%x: !tile.ptr<f16>, %table: !tile.ptr<!tile.ptr<f16>>, %indices: !tile.ptr<i32>, %m: i32, %on: i1) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %pid = tile.program_id 0
  %number = arith.extsi %pid : i32 to i64
  %rows = arith.extsi %m : i32 to i64
  %v0 = tile.make_view %x shape[%rows, %rows] strides[%number, %one] : <f16> -> <64x32xf16>
  %a0 = tile.load_view %v0[%z, %z] checked [true, true] : <64x32xf16> -> tensor<64x32xf16>
  %read = tile.load %table : !tile.ptr<!tile.ptr<f16>> -> !tile.ptr<f16>
  %v1 = tile.make_view %read shape[%rows, %rows] strides[%rows, %one] : <f16> -> <64x32xf16>
  %a1 = tile.load_view %v1[%z, %z] checked [true, true] : <64x32xf16> -> tensor<64x32xf16>
  %index = tile.load %indices : !tile.ptr<i32> -> i32
  %i = arith.extsi %index : i32 to i64
  %skip = arith.muli %i, %rows : i64
  %moved = tile.addptr %x, %skip : !tile.ptr<f16>, i64
  %v2 = tile.make_view %moved shape[%rows, %rows] strides[%rows, %one] : <f16> -> <64x32xf16>
  %a2 = tile.load_view %v2[%z, %z] checked [true, true] : <64x32xf16> -> tensor<64x32xf16>
  %v3 = scf.if %on -> (!tile.view<64x32xf16>) {
    scf.yield %v1 : !tile.view<64x32xf16>
  } else {
    scf.yield %v2 : !tile.view<64x32xf16>
  }
  %a3 = tile.load_view %v3[%z, %z] checked [true, true] : <64x32xf16> -> tensor<64x32xf16>
  tile.return
}

// Before the block is outside of the view but inside of the frame: an offset that
// may be negative is none where bounds are checked.
// CHECK-LABEL: simt-print-launch-views @before
// CHECK-NEXT: tile.load_view %8: none: its offset may be negative
// CHECK-NEXT: tile.load_view %9: base %arg0 + 0, [%arg1] by [1] at [64*%0]
tile.kernel @before(%x: !tile.ptr<f16>, %m: i32, %at: i32) {
  %one = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %pid = tile.program_id 0
  %number = arith.extsi %pid : i32 to i64
  %rows = arith.extsi %m : i32 to i64
  %down = arith.muli %number, %c64 : i64
  %left = arith.subi %rows, %down : i64
  %start = tile.addptr %x, %down : !tile.ptr<f16>, i64
  %view = tile.make_view %start shape[%left] strides[%one] : <f16> -> <64xf16>
  %offset = arith.extsi %at : i32 to i64
  %a = tile.load_view %view[%offset] checked [true] : <64xf16> -> tensor<64xf16>
  %b = tile.load_view %view[%offset] checked [false] : <64xf16> -> tensor<64xf16>
  tile.return
}
