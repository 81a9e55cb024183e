tile.kernel @halves(%x: !tile.ptr<f32>, %n: i32) {
  %r = tile.range 0 to 8 : tensor<8xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %at = tile.addptr %xs, %r : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %at : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %p = tile.reshape %v : tensor<8xf32> -> tensor<4x2xf32>
  %q, %s = tile.split %p : tensor<4x2xf32> -> tensor<4xf32>
  %u:2 = tile.scan (%q, %s) axis 0 : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %c, %d : f32, f32
  }
  tile.store %at, %v : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  tile.return
}
