// A divisor that is known to be far from 0 and from infinity needs no scaling:
// 1 + 2^x for x up to 10. The same without a bound may be infinity.
// A count in floats does not pass 2^24, however many iterations there are, and
// neither does what lanes have counted together pass a sum of such.
// RUN: split-file %s %t
// RUN: tz compile %S/../../../test/simt/Inputs/moments.py::moments --target nvidia:sm_90a --sig "*fp32:16,*fp32:16,i32" --constexpr BLOCK=256 --option num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=COUNTS
// COUNTS: rcp.approx.ftz.f32
// COUNTS: div.full.f32
// COUNTS-NOT: div.full.f32
// RUN: tz compile %t/steps.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=STEPS
// RUN: tz compile %t/bounded.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=BOUNDED
// RUN: tz compile %t/unbounded.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=ANY

// BOUNDED: ex2.approx.ftz.f32
// BOUNDED: rcp.approx.ftz.f32
// BOUNDED-NOT: div.full
// BOUNDED: ret;
//--- bounded.mlir
tile.kernel @bounded(%x: !tile.ptr<f32>) attributes {tile.num_warps = 1 : i32} {
  %at = tile.range 0 to 32 : tensor<32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %to = tile.addptr %base, %at : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %to : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %most = arith.constant dense<1.0e+01> : tensor<32xf32>
  %one = arith.constant dense<1.0> : tensor<32xf32>
  %above = arith.cmpf ogt, %v, %most : tensor<32xf32>
  %cut = arith.select %above, %most, %v : tensor<32xi1>, tensor<32xf32>
  %power = tile.math exp2 %cut : tensor<32xf32>
  %divisor = arith.addf %power, %one : tensor<32xf32>
  %q = tile.divf approx %v, %divisor : tensor<32xf32>
  tile.store %to, %q : tensor<32x!tile.ptr<f32>>, tensor<32xf32>
  tile.return
}

// ANY: ex2.approx.ftz.f32
// ANY-NOT: rcp.approx
// ANY: div.full.f32
//--- unbounded.mlir
tile.kernel @unbounded(%x: !tile.ptr<f32>) attributes {tile.num_warps = 1 : i32} {
  %at = tile.range 0 to 32 : tensor<32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %to = tile.addptr %base, %at : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %to : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %one = arith.constant dense<1.0> : tensor<32xf32>
  %power = tile.math exp2 %v : tensor<32xf32>
  %divisor = arith.addf %power, %one : tensor<32xf32>
  %q = tile.divf approx %v, %divisor : tensor<32xf32>
  tile.store %to, %q : tensor<32x!tile.ptr<f32>>, tensor<32xf32>
  tile.return
}

// Steps of two are no count: floats hold them up to 2^25, and so on without end.
// STEPS-NOT: rcp.approx
// STEPS: div.full.f32
//--- steps.mlir
tile.kernel @steps(%x: !tile.ptr<f32>, %n: i32) attributes {tile.num_warps = 1 : i32} {
  %at = tile.range 0 to 32 : tensor<32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %to = tile.addptr %base, %at : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %to : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<32xf32>
  %two = arith.constant dense<2.0> : tensor<32xf32>
  %q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%count = %one, %acc = %v) -> (tensor<32xf32>, tensor<32xf32>) : i32 {
    %next = arith.addf %count, %two : tensor<32xf32>
    %less = tile.divf approx %acc, %count : tensor<32xf32>
    scf.yield %next, %less : tensor<32xf32>, tensor<32xf32>
  }
  tile.store %to, %q#1 : tensor<32x!tile.ptr<f32>>, tensor<32xf32>
  tile.return
}
