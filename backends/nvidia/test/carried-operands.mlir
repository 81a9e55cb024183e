// A loop makes the operand of its product of what products gave. Threads hold
// it as wgmma reads it, so it is not staged, though its first one was loaded.
// RUN: tz compile %s --target nvidia:sm_90a --emit simt -o - | FileCheck %s

// CHECK: tile.load_view
// CHECK: simt.stage
// CHECK: scf.for
// CHECK-NOT: simt.stage
// CHECK: simt.dot {{.*}} {{{.*}}instruction = "wgmma"} : tensor<64x64xf16
// CHECK: scf.yield
tile.kernel @powers(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = arith.constant 0 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %rows = arith.constant 64 : i64
  %vx = tile.make_view %x shape[%rows, %rows] strides[%rows, %one] : <f16> -> <64x64xf16>
  %vy = tile.make_view %y shape[%rows, %rows] strides[%rows, %one] : <f16> -> <64x64xf16>
  %a = tile.load_view %vx[%z, %z] checked [false, false] {group = 1 : i64} : <64x64xf16> -> tensor<64x64xf16>
  %b = tile.load_view %vy[%z, %z] checked [false, false] {group = 2 : i64} : <64x64xf16> -> tensor<64x64xf16>
  %first = arith.extf %a : tensor<64x64xf16> to tensor<64x64xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %first) -> (tensor<64x64xf32>) : i32 {
    %narrow = tile.truncf rtne %sum : tensor<64x64xf32> to tensor<64x64xf16>
    %product = tile.dot %narrow, %b, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %next = arith.addf %product, %sum : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %vo = tile.make_view %out shape[%rows, %rows] strides[%rows, %one] : <f32> -> <64x64xf32>
  tile.store_view %vo[%z, %z], %last checked [false, false] {group = 3 : i64} : <64x64xf32>, tensor<64x64xf32>
  tile.return
}
