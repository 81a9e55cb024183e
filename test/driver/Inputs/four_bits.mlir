tile.kernel @four_bits(%p: !tile.ptr<i8>, %b: i32) {
  %h = tile.sitofp %b : i32 to f16
  %x = tile.truncf rtne %h : f16 to f4E2M1FN
  %y = arith.extf %x : f4E2M1FN to f16
  %z = tile.fptosi %y : f16 to i8
  tile.store %p, %z : !tile.ptr<i8>, i8
  tile.return
}
