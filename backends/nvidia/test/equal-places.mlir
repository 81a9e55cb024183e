// Registers that read one place under one mask share a load: a run of equal
// pointers is read once.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s
// Where the mask may end within a run, each element is read for itself.
// RUN: sed 's/%n: i32 {.*}/%n: i32/' %s > %t.mlir
// RUN: tz compile %t.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=CUT
// CUT-COUNT-8: ld.global.b32
// CUT: ret;

// A thread holds eight elements in two runs of four, of which each has one scale.
// CHECK-LABEL: .entry scaled
// CHECK-COUNT-2: ld.global.b32
// CHECK-NOT: ld.global
// CHECK: ret;
tile.kernel @scaled(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %scales: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64})
    attributes {tile.num_warps = 1 : i32} {
  %at = tile.range 0 to 256 : tensor<256xi32>
  %four = arith.constant dense<4> : tensor<256xi32>
  %group = tile.divui %at, %four : tensor<256xi32>
  %base = tile.splat %scales : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %base, %group : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %end = tile.splat %n : i32 -> tensor<256xi32>
  %inside = arith.cmpi slt, %at, %end : tensor<256xi32>
  %scale = tile.load %from mask %inside : tensor<256x!tile.ptr<f32>> mask tensor<256xi1> -> tensor<256xf32>
  %out = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %to = tile.addptr %out, %at : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %to, %scale mask %inside : tensor<256x!tile.ptr<f32>>, tensor<256xf32>, tensor<256xi1>
  tile.return
}
