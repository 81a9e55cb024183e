// RUN: tz-opt %s -split-input-file -verify-diagnostics
// One negative case per numbered constraint of TileProgramOps.td.

// expected-error @+1 {{C2: argument 0 has type 'tensor<4xi32>'}}
tile.kernel @kernel_c2_argument(%x: tensor<4xi32>) {
  tile.return
}

// -----

tile.kernel @program_id_c1() {
  // expected-error @+1 {{C1: axis is 3; the grid has axes 0, 1 and 2}}
  %0 = tile.program_id 3
  tile.return
}

// -----

tile.kernel @num_programs_c1() {
  // expected-error @+1 {{C1: axis is 7}}
  %0 = tile.num_programs 7
  tile.return
}

// -----

tile.kernel @hint_c1_count(%n: i32) {
  // expected-error @+1 {{C1: a hint needs 1 positive number}}
  %0 = tile.hint %n {divisibility = array<i64: 4, 4>} : i32
  tile.return
}

// -----

tile.kernel @hint_c1_positive(%n: i32) {
  // expected-error @+1 {{C1: a hint needs 1 positive number}}
  %0 = tile.hint %n {divisibility = array<i64: 0>} : i32
  tile.return
}

// -----

tile.kernel @print_c1(%n: i32) {
  // expected-error @+1 {{C1: isSigned needs one entry per argument}}
  tile.print "n"(%n : i32) {isSigned = array<i1>}
  tile.return
}

// -----

tile.kernel @assert_c1(%c: i1) {
  %m = arith.constant dense<true> : tensor<4xi1>
  // expected-error @+1 {{C1: the mask must have the condition's type}}
  tile.assert %c mask %m, "no" : i1, tensor<4xi1>
  tile.return
}

// -----

tile.kernel @record_c1() {
  // expected-error @+1 {{C1: the part needs a name}}
  tile.record ""
  tile.return
}

// -----

tile.kernel @record_c2(%n: i32) {
  // expected-error @+1 {{C2: only an end has values}}
  tile.record "part" (%n : i32)
  tile.return
}
