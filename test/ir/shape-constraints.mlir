// RUN: tz-opt %s -split-input-file -verify-diagnostics
// One negative case per numbered constraint of TileShapeOps.td.

tile.kernel @range_c1() {
  // expected-error @+1 {{C1: 0 to 8 does not give 'tensor<4xi32>'}}
  %0 = tile.range 0 to 8 : tensor<4xi32>
  tile.return
}

// -----

tile.kernel @splat_c1(%x: i32) {
  // expected-error @+1 {{C1: element type of 'tensor<4xi64>' is not 'i32'}}
  %0 = tile.splat %x : i32 -> tensor<4xi64>
  tile.return
}

// -----

tile.kernel @broadcast_c1() {
  %x = arith.constant dense<0> : tensor<4xi32>
  // expected-error @+1 {{C1: ranks or element types}}
  %0 = tile.broadcast %x : tensor<4xi32> -> tensor<4x4xi32>
  tile.return
}

// -----

tile.kernel @broadcast_c2() {
  %x = arith.constant dense<0> : tensor<2x4xi32>
  // expected-error @+1 {{C2: 'tensor<2x4xi32>' cannot be broadcast to 'tensor<4x4xi32>'}}
  %0 = tile.broadcast %x : tensor<2x4xi32> -> tensor<4x4xi32>
  tile.return
}

// -----

tile.kernel @reshape_c1() {
  %x = arith.constant dense<0> : tensor<4xi32>
  // expected-error @+1 {{C1: 'tensor<4xi32>' cannot be reshaped to 'tensor<8xi32>'}}
  %0 = tile.reshape %x : tensor<4xi32> -> tensor<8xi32>
  tile.return
}

// -----

tile.kernel @transpose_c1() {
  %x = arith.constant dense<0> : tensor<2x4xi32>
  // expected-error @+1 {{C1: order is not a permutation}}
  %0 = tile.transpose %x [0, 0] : tensor<2x4xi32> -> tensor<4x2xi32>
  tile.return
}

// -----

tile.kernel @transpose_c2() {
  %x = arith.constant dense<0> : tensor<2x4xi32>
  // expected-error @+1 {{C2: 'tensor<2x4xi32>' is not 'tensor<2x4xi32>' permuted}}
  %0 = tile.transpose %x [1, 0] : tensor<2x4xi32> -> tensor<2x4xi32>
  tile.return
}

// -----

tile.kernel @join_c1() {
  %x = arith.constant dense<0> : tensor<4xi32>
  // expected-error @+1 {{C1: 'tensor<4x3xi32>' is not a pair of 'tensor<4xi32>'}}
  %0 = tile.join %x, %x : tensor<4xi32> -> tensor<4x3xi32>
  tile.return
}

// -----

tile.kernel @split_c1() {
  %x = arith.constant dense<0> : tensor<4x4xi32>
  // expected-error @+1 {{C1: 'tensor<4x4xi32>' is not a pair of 'tensor<4xi32>'}}
  %0, %1 = tile.split %x : tensor<4x4xi32> -> tensor<4xi32>
  tile.return
}

// -----

tile.kernel @cat_c1() {
  %x = arith.constant dense<0> : tensor<4xi32>
  // expected-error @+1 {{C1: 'tensor<4xi32>' and 'tensor<4xi32>' do not join to 'tensor<9xi32>' along dimension 0}}
  %0 = tile.cat %x, %x dim 0 : tensor<4xi32>, tensor<4xi32> -> tensor<9xi32>
  tile.return
}

// -----

tile.kernel @gather_c1() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  %i = arith.constant dense<0> : tensor<8xi32>
  // expected-error @+1 {{C1: result 'tensor<4xf32>'}}
  %0 = tile.gather %x[%i] axis 0 : tensor<4xf32>, tensor<8xi32> -> tensor<4xf32>
  tile.return
}

// -----

tile.kernel @gather_c2() {
  %x = arith.constant dense<0.0> : tensor<4x4xf32>
  %i = arith.constant dense<0> : tensor<8x8xi32>
  // expected-error @+1 {{C2: indices 'tensor<8x8xi32>' do not fit}}
  %0 = tile.gather %x[%i] axis 0 : tensor<4x4xf32>, tensor<8x8xi32> -> tensor<8x8xf32>
  tile.return
}
