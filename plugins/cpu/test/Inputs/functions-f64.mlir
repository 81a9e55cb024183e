// Every function, one row of the result each.
tile.kernel @functions(%x: !tile.ptr<f64>, %y: !tile.ptr<f64>, %out: !tile.ptr<f64>) {
  %id = tile.program_id 0
  %size = arith.constant 96 : i32
  %start = arith.muli %id, %size : i32
  %s = tile.splat %start : i32 -> tensor<96xi32>
  %lane = tile.range 0 to 96 : tensor<96xi32>
  %i = arith.addi %s, %lane : tensor<96xi32>
  %xs = tile.splat %x : !tile.ptr<f64> -> tensor<96x!tile.ptr<f64>>
  %ys = tile.splat %y : !tile.ptr<f64> -> tensor<96x!tile.ptr<f64>>
  %os = tile.splat %out : !tile.ptr<f64> -> tensor<96x!tile.ptr<f64>>
  %px = tile.addptr %xs, %i : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  %py = tile.addptr %ys, %i : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  %a = tile.load %px : tensor<96x!tile.ptr<f64>> -> tensor<96xf64>
  %b = tile.load %py : tensor<96x!tile.ptr<f64>> -> tensor<96xf64>
  %row = arith.constant dense<1536> : tensor<96xi32>
  %v0 = tile.math exp %a : tensor<96xf64>
  %p0 = tile.addptr %os, %i : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p0, %v0 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i0 = arith.addi %i, %row : tensor<96xi32>
  %v1 = tile.math exp2 %a : tensor<96xf64>
  %p1 = tile.addptr %os, %i0 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p1, %v1 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i1 = arith.addi %i0, %row : tensor<96xi32>
  %v2 = tile.math expm1 %a : tensor<96xf64>
  %p2 = tile.addptr %os, %i1 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p2, %v2 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i2 = arith.addi %i1, %row : tensor<96xi32>
  %v3 = tile.math log %a : tensor<96xf64>
  %p3 = tile.addptr %os, %i2 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p3, %v3 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i3 = arith.addi %i2, %row : tensor<96xi32>
  %v4 = tile.math log2 %a : tensor<96xf64>
  %p4 = tile.addptr %os, %i3 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p4, %v4 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i4 = arith.addi %i3, %row : tensor<96xi32>
  %v5 = tile.math log1p %a : tensor<96xf64>
  %p5 = tile.addptr %os, %i4 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p5, %v5 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i5 = arith.addi %i4, %row : tensor<96xi32>
  %v6 = tile.math sin %a : tensor<96xf64>
  %p6 = tile.addptr %os, %i5 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p6, %v6 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i6 = arith.addi %i5, %row : tensor<96xi32>
  %v7 = tile.math cos %a : tensor<96xf64>
  %p7 = tile.addptr %os, %i6 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p7, %v7 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i7 = arith.addi %i6, %row : tensor<96xi32>
  %v8 = tile.math tan %a : tensor<96xf64>
  %p8 = tile.addptr %os, %i7 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p8, %v8 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i8 = arith.addi %i7, %row : tensor<96xi32>
  %v9 = tile.math tanh %a : tensor<96xf64>
  %p9 = tile.addptr %os, %i8 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p9, %v9 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i9 = arith.addi %i8, %row : tensor<96xi32>
  %v10 = tile.math erf %a : tensor<96xf64>
  %p10 = tile.addptr %os, %i9 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p10, %v10 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i10 = arith.addi %i9, %row : tensor<96xi32>
  %v11 = tile.math sqrt %a : tensor<96xf64>
  %p11 = tile.addptr %os, %i10 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p11, %v11 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i11 = arith.addi %i10, %row : tensor<96xi32>
  %v12 = tile.math sqrt_rn %a : tensor<96xf64>
  %p12 = tile.addptr %os, %i11 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p12, %v12 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i12 = arith.addi %i11, %row : tensor<96xi32>
  %v13 = tile.math rsqrt %a : tensor<96xf64>
  %p13 = tile.addptr %os, %i12 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p13, %v13 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i13 = arith.addi %i12, %row : tensor<96xi32>
  %v14 = tile.pow %a, %b : tensor<96xf64>
  %p14 = tile.addptr %os, %i13 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p14, %v14 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i14 = arith.addi %i13, %row : tensor<96xi32>
  %v15 = tile.divf approx %a, %b : tensor<96xf64>
  %p15 = tile.addptr %os, %i14 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p15, %v15 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i15 = arith.addi %i14, %row : tensor<96xi32>
  %v16 = tile.divf rn %a, %b : tensor<96xf64>
  %p16 = tile.addptr %os, %i15 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p16, %v16 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  %i16 = arith.addi %i15, %row : tensor<96xi32>
  %v17 = tile.remf %a, %b : tensor<96xf64>
  %p17 = tile.addptr %os, %i16 : tensor<96x!tile.ptr<f64>>, tensor<96xi32>
  tile.store %p17, %v17 : tensor<96x!tile.ptr<f64>>, tensor<96xf64>
  tile.return
}
