// Vector addition in tile IR: out[i] = x[i] + y[i] for i < n, 1024 elements a program.
//
//   tz run vector_add.mlir --grid "cdiv(n,1024)" --arg x=randn:f32[100003] --arg y=randn:f32[100003] \
//       --arg out=zeros:f32[100003] --arg n=i32:100003
tile.kernel @add_kernel(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) {
  %pid = tile.program_id 0
  %block = arith.constant 1024 : i32
  %first = arith.muli %pid, %block : i32
  %firsts = tile.splat %first : i32 -> tensor<1024xi32>
  %lane = tile.range 0 to 1024 : tensor<1024xi32>
  %offsets = arith.addi %firsts, %lane : tensor<1024xi32>

  %end = tile.splat %n : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %offsets, %end : tensor<1024xi32>

  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %x_at = tile.addptr %xs, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %y_at = tile.addptr %ys, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %out_at = tile.addptr %outs, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>

  %a = tile.load %x_at mask %inside {group = 1 : i64} : tensor<1024x!tile.ptr<f32>> mask tensor<1024xi1> -> tensor<1024xf32>
  %b = tile.load %y_at mask %inside {group = 2 : i64} : tensor<1024x!tile.ptr<f32>> mask tensor<1024xi1> -> tensor<1024xf32>
  %sum = arith.addf %a, %b : tensor<1024xf32>
  tile.store %out_at, %sum mask %inside {group = 3 : i64} : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>, tensor<1024xi1>
  tile.return
}
