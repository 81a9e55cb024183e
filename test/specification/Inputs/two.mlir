tile.kernel @one() {
  tile.return
}
tile.kernel @two() {
  tile.return
}
