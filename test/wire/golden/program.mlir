// Program ops, hints of kernel and arguments, and every argument type.
tile.kernel @program(%p: !tile.ptr<f16> {tile.name = "p", tile.divisibility = 16 : i64, tile.group = 1 : i64, tile.const},
                     %q: !tile.ptr<i64> {tile.name = "q"}, %n: i32 {tile.divisibility = 16 : i64}, %b: i1, %c: i8, %s: i16, %l: i64,
                     %h: f16, %bh: bf16, %f: f32, %d: f64, %e1: !tile.ptr<f8E4M3FN>, %e2: !tile.ptr<f8E5M2>,
                     %e3: !tile.ptr<f8E4M3FNUZ>, %e4: !tile.ptr<f8E5M2FNUZ>, %pp: !tile.ptr<!tile.ptr<f32>>)
    attributes {tile.num_warps = 8 : i32, tile.num_stages = 3 : i32, tile.waits, tile.contract = true, tile.record_warps = 5 : i64} {
  %x = tile.program_id 0
  %y = tile.program_id 1
  %z = tile.num_programs 2
  tile.assume %b
  %n16 = tile.hint %n {divisibility = array<i64: 16>} : i32
  %r = tile.range 0 to 32 : tensor<32xi32>
  %rc = tile.hint %r {contiguity = array<i64: 32>, constancy = array<i64: 1>} : tensor<32xi32>
  tile.barrier
  tile.print "x and range: "(%x, %rc : i32, tensor<32xi32>) {isSigned = array<i1: true, false>}
  tile.print "bits " (%f : f32) {hex, isSigned = array<i1: true>}
  tile.assert %b, "b must hold" : i1
  tile.record "part"
  tile.record "part" end(%x, %rc : i32, tensor<32xi32>)
  %mask = arith.cmpi slt, %r, %rc : tensor<32xi32>
  tile.assert %mask mask %mask, "lanes" : tensor<32xi1>, tensor<32xi1>
  tile.return
}
