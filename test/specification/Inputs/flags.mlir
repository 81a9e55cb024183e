tile.kernel @flags(%x: f32) {
  %a = arith.addf %x, %x fastmath<fast> : f32
  tile.return
}
