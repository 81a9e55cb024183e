// Matrix product in tile IR: C = A B for row-major f16 matrices of any size, summed in f32. A program makes a tile of
// 64 x 96 elements: in the IR, sizes need not be powers of two. Views cut the tiles at the matrices' edges.
//
//   tz run matmul.mlir --grid "cdiv(m,64),cdiv(n,96)" --arg a=randn:f16[197,131] --arg b=randn:f16[131,203] \
//       --arg c=zeros:f16[197,203] --arg m=i64:197 --arg n=i64:203 --arg k=i64:131
tile.kernel @matmul_kernel(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f16>, %m: i64, %n: i64, %k: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %tile_m = arith.constant 64 : i64
  %tile_n = arith.constant 96 : i64
  %tile_k = arith.constant 32 : i64
  %x = tile.program_id 0
  %y = tile.program_id 1
  %x_wide = arith.extsi %x : i32 to i64
  %y_wide = arith.extsi %y : i32 to i64
  %row = arith.muli %x_wide, %tile_m : i64
  %col = arith.muli %y_wide, %tile_n : i64

  %view_a = tile.make_view %a shape [%m, %k] strides [%k, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %view_b = tile.make_view %b shape [%k, %n] strides [%n, %one] : !tile.ptr<f16> -> !tile.view<32x96xf16>
  %view_c = tile.make_view %c shape [%m, %n] strides [%n, %one] : !tile.ptr<f16> -> !tile.view<64x96xf16>

  %start = arith.constant dense<0.0> : tensor<64x96xf32>
  %sum = scf.for %at = %zero to %k step %tile_k iter_args(%acc = %start) -> (tensor<64x96xf32>) : i64 {
    %left = tile.load_view %view_a[%row, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
    %right = tile.load_view %view_b[%at, %col] checked [true, true] {group = 2 : i64} : !tile.view<32x96xf16> -> tensor<32x96xf16>
    %next = tile.dot %left, %right, %acc : tensor<64x32xf16>, tensor<32x96xf16> -> tensor<64x96xf32>
    scf.yield %next : tensor<64x96xf32>
  }
  %result = tile.truncf rtne %sum : tensor<64x96xf32> to tensor<64x96xf16>
  tile.store_view %view_c[%row, %col], %result checked [true, true] {group = 3 : i64} : !tile.view<64x96xf16>, tensor<64x96xf16>
  tile.return
}
