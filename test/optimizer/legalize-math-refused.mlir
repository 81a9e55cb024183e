// RUN: not tz-opt %s --tile-legalize-math -o /dev/null 2>&1 | FileCheck %s
// RUN: tz-opt %s --tile-legalize-math=features=math.rem.f32 -o /dev/null

// A loop of the library cannot stand where reductions combine.
// CHECK: legalize-math-refused.mlir:[[@LINE+6]]:{{.*}} error: the target lacks 'math.rem.f32', and the embedded library computes it in a loop, which the function of a reduction or scan cannot have; compute it before
// CHECK-NOT: error:
tile.kernel @no_loop_in_reduce(%p: !tile.ptr<f32>, %s: f32) {
  %t = tile.splat %s : f32 -> tensor<32xf32>
  %r = tile.reduce(%t) axis 0 : (tensor<32xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = tile.remf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %p, %r : !tile.ptr<f32>, f32
  tile.return
}
