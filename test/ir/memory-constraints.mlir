// RUN: tz-opt %s -split-input-file -verify-diagnostics
// One negative case per numbered constraint of TileMemoryOps.td and of the types.

// expected-error @+1 {{C1: !tile.ptr cannot point to 'i7'}}
tile.kernel @ptr_c1(%p: !tile.ptr<i7>) {
  tile.return
}

// -----

tile.kernel @addptr_c1(%p: !tile.ptr<f32>, %o: i32) {
  %t = tile.splat %p : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  // expected-error @+1 {{C1: offsets 'i32' do not fit pointers}}
  %0 = tile.addptr %t, %o : tensor<4x!tile.ptr<f32>>, i32
  tile.return
}

// -----

tile.kernel @load_c1(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{C1: a load through '!tile.ptr<f32>' gives 'f32'}}
  %0 = tile.load %p : !tile.ptr<f32> -> f16
  tile.return
}

// -----

tile.kernel @load_c2(%p: !tile.ptr<f32>) {
  %m = arith.constant dense<true> : tensor<4xi1>
  // expected-error @+1 {{C2: the mask 'tensor<4xi1>' must have the shape}}
  %0 = tile.load %p mask %m : !tile.ptr<f32> mask tensor<4xi1> -> f32
  tile.return
}

// -----

tile.kernel @load_c3(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @+1 {{C3: other needs a mask}}
  %0 = tile.load %p other %x : !tile.ptr<f32> other f32 -> f32
  tile.return
}

// -----

tile.kernel @store_c1(%p: !tile.ptr<f32>, %x: f16) {
  // expected-error @+1 {{C1: a store through '!tile.ptr<f32>' takes 'f32'}}
  tile.store %p, %x : !tile.ptr<f32>, f16
  tile.return
}

// -----

tile.kernel @store_c2(%p: !tile.ptr<f32>, %x: f32) {
  %m = arith.constant dense<true> : tensor<4xi1>
  // expected-error @+1 {{C2: the mask}}
  tile.store %p, %x mask %m : !tile.ptr<f32>, f32, tensor<4xi1>
  tile.return
}

// -----

tile.kernel @make_view_c1(%p: !tile.ptr<f32>, %n: i64) {
  // expected-error @+1 {{needs 2 sizes and strides}}
  %0 = tile.make_view %p shape[%n] strides[%n] : <f32> -> <4x4xf32>
  tile.return
}

// -----

tile.kernel @make_view_c2(%p: !tile.ptr<f32>, %n: i64) {
  // expected-error @+1 {{C2: the base points to 'f32', the view has 'f16'}}
  %0 = tile.make_view %p shape[%n] strides[%n] : <f32> -> <4xf16>
  tile.return
}

// -----

tile.kernel @view_parts_c1(%p: !tile.ptr<f32>, %n: i64) {
  %v = tile.make_view %p shape[%n] strides[%n] : <f32> -> <4xf32>
  // expected-error @+1 {{has 1 sizes, strides and positions}}
  %0:7 = "tile.view_parts"(%v) : (!tile.view<4xf32>) -> (!tile.ptr<f32>, i64, i64, i64, i64, i64, i64)
  tile.return
}

// -----

tile.kernel @view_parts_c2(%p: !tile.ptr<f32>, %n: i64) {
  %v = tile.make_view %p shape[%n] strides[%n] : <f32> -> <4xf32>
  // expected-error @+1 {{C2: the base points to 'f16', the view has 'f32'}}
  %0:4 = "tile.view_parts"(%v) : (!tile.view<4xf32>) -> (!tile.ptr<f16>, i64, i64, i64)
  tile.return
}

// -----

tile.kernel @advance_view_c1(%p: !tile.ptr<f32>, %n: i64) {
  %v = tile.make_view %p shape[%n] strides[%n] : <f32> -> <4xf32>
  // expected-error @+1 {{C1: 1 offsets are needed}}
  %0 = tile.advance_view %v[%n, %n] : <4xf32>
  tile.return
}

// -----

tile.kernel @load_view_c1(%p: !tile.ptr<f32>, %n: i64) {
  %v = tile.make_view %p shape[%n] strides[%n] : <f32> -> <4xf32>
  // expected-error @+1 {{C1: 1 offsets and `checked` entries are needed}}
  %0 = tile.load_view %v[%n] checked [true, true] : <4xf32> -> tensor<4xf32>
  tile.return
}

// -----

tile.kernel @load_view_c2(%p: !tile.ptr<f32>, %n: i64) {
  %v = tile.make_view %p shape[%n] strides[%n] : <f32> -> <4xf32>
  // expected-error @+1 {{C2: the block of}}
  %0 = tile.load_view %v[%n] checked [true] : <4xf32> -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @load_view_c3(%p: !tile.ptr<f32>, %n: i64) {
  %v = tile.make_view %p shape[%n] strides[%n] : <f32> -> <4xf32>
  // expected-error @+1 {{C3: other must be a scalar of type 'f32'}}
  %0 = tile.load_view %v[%n] other %n checked [true] : <4xf32>, i64 -> tensor<4xf32>
  tile.return
}

// -----

tile.kernel @store_view_c2(%p: !tile.ptr<f32>, %n: i64) {
  %v = tile.make_view %p shape[%n] strides[%n] : <f32> -> <4xf32>
  %x = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error @+1 {{C2: the block of}}
  tile.store_view %v[%n], %x checked [true] : <4xf32>, tensor<8xf32>
  tile.return
}

// -----

tile.kernel @atomic_rmw_c1(%p: !tile.ptr<f32>, %x: i32) {
  // expected-error @+1 {{C1: an atomic through}}
  %0 = tile.atomic_rmw add relaxed device %p, %x : !tile.ptr<f32> -> i32, i32
  tile.return
}

// -----

tile.kernel @atomic_rmw_c2(%p: !tile.ptr<i32>, %x: i32) {
  %m = arith.constant dense<true> : tensor<4xi1>
  // expected-error @+1 {{C2: the mask}}
  %0 = tile.atomic_rmw add relaxed device %p, %x mask %m : !tile.ptr<i32>, tensor<4xi1> -> i32, i32
  tile.return
}

// -----

tile.kernel @atomic_rmw_c3(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @+1 {{C3: add is not for 'f32'}}
  %0 = tile.atomic_rmw add relaxed device %p, %x : !tile.ptr<f32> -> f32, f32
  tile.return
}

// -----

tile.kernel @atomic_cas_c1(%p: !tile.ptr<i32>, %x: i64) {
  // expected-error @+1 {{C1: a compare-and-swap through}}
  %0 = tile.atomic_cas relaxed device %p, %x, %x : !tile.ptr<i32> -> i64, i64, i64
  tile.return
}
