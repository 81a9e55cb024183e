// The sign of a bf16 is changed in its bits, also on the way to a float.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry signs
// CHECK-NOT: cvt.
// CHECK-DAG: and.b16 {{.*}}, 32767
// CHECK-DAG: xor.b16 {{.*}}, -32768
tile.kernel @signs(%x: !tile.ptr<bf16>, %y: !tile.ptr<bf16>) {
  %a = tile.load %x {group = 1 : i64} : !tile.ptr<bf16> -> bf16
  %b = tile.math abs %a : bf16
  %c = arith.negf %a : bf16
  tile.store %y, %b {group = 2 : i64} : !tile.ptr<bf16>, bf16
  tile.store %x, %c {group = 1 : i64} : !tile.ptr<bf16>, bf16
  tile.return
}
