// Loads, stores, views and atomics, with every enum case of them.
tile.kernel @memory(%p: !tile.ptr<f32>, %q: !tile.ptr<i32>, %n: i32, %k: i64, %b: i1) {
  %r = tile.range 0 to 48 : tensor<48xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<48x!tile.ptr<f32>>
  %at = tile.addptr %ps, %r : tensor<48x!tile.ptr<f32>>, tensor<48xi32>
  %one = tile.addptr %p, %k : !tile.ptr<f32>, i64
  %ns = tile.splat %n : i32 -> tensor<48xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<48xi32>
  %zero = arith.constant dense<0.0> : tensor<48xf32>
  %a = tile.load %at : tensor<48x!tile.ptr<f32>> -> tensor<48xf32>
  %c = tile.load %at mask %mask {group = 1 : i64} : tensor<48x!tile.ptr<f32>> mask tensor<48xi1> -> tensor<48xf32>
  %d = tile.load %at mask %mask other %zero {cache = #tile<cache_hint ca>, evict = #tile<eviction evict_first>} : tensor<48x!tile.ptr<f32>> mask tensor<48xi1> other tensor<48xf32> -> tensor<48xf32>
  %e = tile.load %one {cache = #tile<cache_hint cg>, evict = #tile<eviction evict_last>, isVolatile} : !tile.ptr<f32> -> f32
  %e1 = tile.load %one {cache = #tile<cache_hint cv>} : !tile.ptr<f32> -> f32
  tile.store %at, %d mask %mask {group = 2 : i64, cache = #tile<cache_hint cs>} : tensor<48x!tile.ptr<f32>>, tensor<48xf32>, tensor<48xi1>
  tile.store %one, %e {cache = #tile<cache_hint wb>} : !tile.ptr<f32>, f32
  tile.store %one, %e1 {cache = #tile<cache_hint wt>} : !tile.ptr<f32>, f32
  %v = tile.make_view %p shape [%k, %k] strides [%k, %k] : !tile.ptr<f32> -> !tile.view<48x112xf32>
  %w = tile.advance_view %v[%k, %k] : !tile.view<48x112xf32>
  %parts:7 = tile.view_parts %w : !tile.view<48x112xf32> -> !tile.ptr<f32>, i64, i64, i64, i64, i64, i64
  %x = tile.load_view %w[%k, %k] checked [true, false] : !tile.view<48x112xf32> -> tensor<48x112xf32>
  %y = tile.load_view %w[%k, %k] other %e checked [true, true] {group = 1 : i64} : !tile.view<48x112xf32>, f32 -> tensor<48x112xf32>
  tile.store_view %w[%k, %k], %y checked [false, false] : !tile.view<48x112xf32>, tensor<48x112xf32>
  %f = arith.constant 1.5 : f32
  %o0 = tile.atomic_rmw add relaxed device %q, %n : !tile.ptr<i32> -> i32, i32
  %o1 = tile.atomic_rmw fadd acq_rel device %at, %d mask %mask : tensor<48x!tile.ptr<f32>>, tensor<48xi1> -> tensor<48xf32>, tensor<48xf32>
  %o2 = tile.atomic_rmw max acquire program %q, %n : !tile.ptr<i32> -> i32, i32
  %o3 = tile.atomic_rmw min release system %q, %n : !tile.ptr<i32> -> i32, i32
  %o4 = tile.atomic_rmw umax relaxed device %q, %n : !tile.ptr<i32> -> i32, i32
  %o5 = tile.atomic_rmw umin relaxed device %q, %n : !tile.ptr<i32> -> i32, i32
  %o6 = tile.atomic_rmw fmax relaxed device %p, %f : !tile.ptr<f32> -> f32, f32
  %o7 = tile.atomic_rmw fmin relaxed device %p, %f : !tile.ptr<f32> -> f32, f32
  %o8 = tile.atomic_rmw and relaxed device %q, %n : !tile.ptr<i32> -> i32, i32
  %o9 = tile.atomic_rmw or relaxed device %q, %n : !tile.ptr<i32> -> i32, i32
  %o10 = tile.atomic_rmw xor relaxed device %q, %n : !tile.ptr<i32> -> i32, i32
  %o11 = tile.atomic_rmw xchg relaxed device %q, %n {group = 3 : i64} : !tile.ptr<i32> -> i32, i32
  %o12 = tile.atomic_cas acq_rel device %q, %n, %o11 : !tile.ptr<i32> -> i32, i32, i32
  tile.return
}
