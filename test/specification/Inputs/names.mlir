tile.kernel @names(%0: i32, %n: i32 {tile.name = "count"}, %other: i32) {
  tile.return
}
