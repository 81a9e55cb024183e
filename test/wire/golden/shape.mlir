// Shape ops, with widths that are no powers of two.
tile.kernel @shape(%f: f32, %p: !tile.ptr<bf16>) {
  %r = tile.range -8 to 8 : tensor<16xi32>
  %wide = tile.range 0 to 176 : tensor<176xi32>
  %s = tile.splat %f : f32 -> tensor<16x1xf32>
  %ps = tile.splat %p : !tile.ptr<bf16> -> tensor<48x!tile.ptr<bf16>>
  %b = tile.broadcast %s : tensor<16x1xf32> -> tensor<16x112xf32>
  %flat = tile.reshape %b : tensor<16x112xf32> -> tensor<1792xf32>
  %t = tile.transpose %b [1, 0] : tensor<16x112xf32> -> tensor<112x16xf32>
  %j = tile.join %r, %r : tensor<16xi32> -> tensor<16x2xi32>
  %j0 = tile.join %f, %f : f32 -> tensor<2xf32>
  %lo, %hi = tile.split %j : tensor<16x2xi32> -> tensor<16xi32>
  %c = tile.cat %lo, %wide dim 0 : tensor<16xi32>, tensor<176xi32> -> tensor<192xi32>
  %g = tile.gather %wide[%lo] axis 0 : tensor<176xi32>, tensor<16xi32> -> tensor<16xi32>
  tile.return
}
