// RUN: tz-opt %s -split-input-file -verify-diagnostics
// One negative case per numbered constraint of TileComputeOps.td.

tile.kernel @truncf_c1_wider(%x: f16) {
  // expected-error @+1 {{C1: 'f16' does not narrow to 'f32'}}
  %0 = tile.truncf rtne %x : f16 to f32
  tile.return
}

// -----

tile.kernel @truncf_c1_same(%x: f16) {
  // expected-error @+1 {{C1: 'f16' does not narrow to 'f16'}}
  %0 = tile.truncf rtne %x : f16 to f16
  tile.return
}

// -----

tile.kernel @bitcast_c1(%x: f16) {
  // expected-error @+1 {{C1: 'f16' and 'i32' do not have one width}}
  %0 = tile.bitcast %x : f16 to i32
  tile.return
}

// -----

tile.kernel @ptr_to_int_c1(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{C1: an address is an i64}}
  %0 = tile.ptr_to_int %p : !tile.ptr<f32> to i32
  tile.return
}

// -----

tile.kernel @int_to_ptr_c1(%p: i32) {
  // expected-error @+1 {{C1: an address is an i64}}
  %0 = tile.int_to_ptr %p : i32 to !tile.ptr<f32>
  tile.return
}

// -----

tile.kernel @dot_c1() {
  %a = arith.constant dense<0.0> : tensor<4x8xf32>
  %b = arith.constant dense<0.0> : tensor<4x8xf32>
  %c = arith.constant dense<0.0> : tensor<4x8xf32>
  // expected-error @+1 {{C1: 'tensor<4x8xf32>' x 'tensor<4x8xf32>' does not give}}
  %0 = tile.dot %a, %b, %c : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  tile.return
}

// -----

tile.kernel @dot_c2() {
  %a = arith.constant dense<0.0> : tensor<4x8xf16>
  %b = arith.constant dense<0.0> : tensor<8x4xbf16>
  %c = arith.constant dense<0.0> : tensor<4x4xf32>
  // expected-error @+1 {{C2: operands are 'f16' and 'bf16'}}
  %0 = tile.dot %a, %b, %c : tensor<4x8xf16>, tensor<8x4xbf16> -> tensor<4x4xf32>
  tile.return
}

// -----

tile.kernel @dot_c3() {
  %a = arith.constant dense<0.0> : tensor<4x8xbf16>
  %b = arith.constant dense<0.0> : tensor<8x4xbf16>
  %c = arith.constant dense<0.0> : tensor<4x4xbf16>
  // expected-error @+1 {{C3: a dot of 'bf16' cannot accumulate in 'bf16'}}
  %0 = tile.dot %a, %b, %c : tensor<4x8xbf16>, tensor<8x4xbf16> -> tensor<4x4xbf16>
  tile.return
}

// -----

tile.kernel @reduce_c1_result() {
  %x = arith.constant dense<0.0> : tensor<4x8xf32>
  // expected-error @+1 {{C1: results must be the sources without axis 1}}
  %0 = "tile.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @reduce_c2() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{C2: the region must combine two times 1 scalars}}
  %0 = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tile.yield %a : f32
  }) : (tensor<4xf32>) -> f32
  tile.return
}

// -----

tile.kernel @reduce_c3() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{C3: axis 2 is not a dimension}}
  %0 = "tile.reduce"(%x) <{axis = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }) : (tensor<4xf32>) -> f32
  tile.return
}

// -----

tile.kernel @scan_c1() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{C1: results must have the sources' types}}
  %0 = "tile.scan"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }) : (tensor<4xf32>) -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @map_c1_sources() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  %y = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error @+1 {{C1: sources differ in shape}}
  %0 = "tile.map"(%x, %y) ({
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }) : (tensor<4xf32>, tensor<8xf32>) -> tensor<4xf32>
  tile.return
}

// -----

tile.kernel @map_c1_results() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{C1: results must have the sources' shape}}
  %0 = "tile.map"(%x) ({
  ^bb0(%a: f32):
    tile.yield %a : f32
  }) : (tensor<4xf32>) -> tensor<8xf32>
  tile.return
}

// -----

tile.kernel @map_c2() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{C2: the region must take a scalar of each source}}
  %0 = "tile.map"(%x) ({
  ^bb0(%a: f32):
    tile.yield %a : f32
  }) : (tensor<4xf32>) -> tensor<4xi32>
  tile.return
}

// -----

tile.kernel @map_c3() {
  %x = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{C3: the region makes a tile}}
  %0 = "tile.map"(%x) ({
  ^bb0(%a: f32):
    %s = tile.splat %a : f32 -> tensor<4xf32>
    tile.yield %a : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  tile.return
}

// -----

tile.kernel @histogram_c1() {
  %x = arith.constant dense<0> : tensor<4x4xi32>
  // expected-error @+1 {{C1: source and result must be 1-D}}
  %0 = tile.histogram %x : tensor<4x4xi32> -> tensor<8xi32>
  tile.return
}

// -----

tile.kernel @histogram_c2() {
  %x = arith.constant dense<0> : tensor<4xi32>
  %m = arith.constant dense<true> : tensor<8xi1>
  // expected-error @+1 {{C2: the mask must have the source's shape}}
  %0 = tile.histogram %x mask %m : tensor<4xi32>, tensor<8xi1> -> tensor<8xi32>
  tile.return
}
