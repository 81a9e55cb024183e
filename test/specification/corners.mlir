// Corners that the specification fixes and few kernels reach: a loop up to the
// largest i32, gather and histogram outside, floats to i1, a shift of i1,
// truncation towards zero beyond the range, a view of negative size.
// RUN: tz run %s --target cpu --compare interp --grid 1 --arg o=zeros:i32[72] --arg "f=values:f32[5,-3,0.5,-0.5,1e9,-1e9,70000,1]" --arg lo=i32:2147483640 --arg hi=i32:2147483647 | FileCheck %s
// CHECK: o i32[72] max error 0 {{.*}}ok
// RUN: tz run %s --target interp --grid 1 --arg o=zeros:i32[72] --arg "f=values:f32[5,-3,0.5,-0.5,1e9,-1e9,70000,1]" --arg lo=i32:2147483640 --arg hi=i32:2147483647 --save o=%t.o
// RUN: od -An -t d4 -w32 -v %t.o | FileCheck %s --check-prefix=VALUES
// Two turns: 2147483640 and 2147483644.
// VALUES:      2 0 0 0 0 0 0 0
// Indices -9, -6 ... 12 of 0 .. 7.
// VALUES-NEXT: 0 0 0 0 3 6 0 0
// To signed i1: -1 to 0; to unsigned: 0 to 1; shifted by itself.
// VALUES-NEXT: 0 -1 0 0 0 -1 0 0
// VALUES-NEXT: 1 0 0 0 1 0 1 1
// VALUES-NEXT: 1 0 0 0 1 0 1 1
// 1e9 is 57344 (7b) in f8E5M2 and 65504 (7bff) in f16, towards zero.
// VALUES-NEXT: 69 194 56 184 123 251 123 60
// VALUES-NEXT: 17664 49664 14336 47104 31743 64511 31743 15360
// Nothing is inside.
// VALUES-NEXT: 7 7 7 7 7 7 7 7
// VALUES-NEXT: 1 0 0 1 0 0 1 0
tile.kernel @corners(%o: !tile.ptr<i32>, %f: !tile.ptr<f32>, %lo: i32, %hi: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %n = scf.for %i = %lo to %hi step %c4 iter_args(%a = %c0) -> (i32) : i32 {
    %b = arith.addi %a, %c1 : i32
    scf.yield %b : i32
  }
  tile.store %o, %n : !tile.ptr<i32>, i32
  %r = tile.range 0 to 8 : tensor<8xi32>
  %m3 = arith.constant dense<-3> : tensor<8xi32>
  %ix = arith.addi %r, %m3 : tensor<8xi32>
  %two = arith.constant dense<3> : tensor<8xi32>
  %ix2 = arith.muli %ix, %two : tensor<8xi32>
  %g = tile.gather %r[%ix2] axis 0 : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  %ps = tile.splat %o : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %at = tile.addptr %ps, %r : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %eight = arith.constant dense<8> : tensor<8xi32>
  %at8 = tile.addptr %at, %eight : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %at8, %g : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %fs = tile.splat %f : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %fa = tile.addptr %fs, %r : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %x = tile.load %fa : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %b1 = tile.fptosi %x : tensor<8xf32> to tensor<8xi1>
  %e1 = arith.extsi %b1 : tensor<8xi1> to tensor<8xi32>
  %at16 = tile.addptr %at8, %eight : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %at16, %e1 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %b2 = tile.fptoui %x : tensor<8xf32> to tensor<8xi1>
  %e2 = arith.extui %b2 : tensor<8xi1> to tensor<8xi32>
  %at24 = tile.addptr %at16, %eight : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %at24, %e2 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %s = tile.shrsi %b2, %b2 : tensor<8xi1>
  %e3 = arith.extui %s : tensor<8xi1> to tensor<8xi32>
  %at32 = tile.addptr %at24, %eight : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %at32, %e3 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %q = tile.truncf rtz %x : tensor<8xf32> to tensor<8xf8E5M2>
  %q2 = tile.bitcast %q : tensor<8xf8E5M2> to tensor<8xi8>
  %q3 = arith.extui %q2 : tensor<8xi8> to tensor<8xi32>
  %at40 = tile.addptr %at32, %eight : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %at40, %q3 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %w = tile.truncf rtz %x : tensor<8xf32> to tensor<8xf16>
  %w2 = tile.bitcast %w : tensor<8xf16> to tensor<8xi16>
  %w3 = arith.extui %w2 : tensor<8xi16> to tensor<8xi32>
  %at48 = tile.addptr %at40, %eight : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %at48, %w3 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %k0 = arith.constant -2 : i64
  %k1 = arith.constant 1 : i64
  %z = arith.constant 0 : i64
  %v = tile.make_view %f shape [%k0] strides [%k1] : !tile.ptr<f32> -> !tile.view<8xf32>
  %other = arith.constant 7.0 : f32
  %y = tile.load_view %v[%z] other %other checked [true] : !tile.view<8xf32>, f32 -> tensor<8xf32>
  %y1 = tile.fptosi %y : tensor<8xf32> to tensor<8xi32>
  %at56 = tile.addptr %at48, %eight : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %at56, %y1 : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %h = tile.histogram %ix2 : tensor<8xi32> -> tensor<8xi32>
  %at64 = tile.addptr %at56, %eight : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %at64, %h : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.return
}
