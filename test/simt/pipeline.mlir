// All steps of core/simt/SimtPipeline.def in their order; tiles have layouts then.
// RUN: tz-opt %s --simt-pipeline | FileCheck %s
// RUN: tz-opt %s --simt-pipeline --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=ORDER

// ORDER: simt-mark-last-reads
// ORDER-NEXT: simt-persist-programs
// ORDER-NEXT: simt-version-alignment
// ORDER-NEXT: simt-split-dots
// ORDER-NEXT: simt-bulk-stores
// ORDER-NEXT: simt-assign-layouts
// ORDER-NEXT: simt-remove-conversions
// ORDER-NEXT: simt-reduce-carried
// ORDER-NEXT: simt-share-buffers
// ORDER-NEXT: cse
// ORDER-NEXT: simt-block-accesses
// ORDER-NEXT: simt-pipeline-loops
// ORDER-NEXT: simt-pipeline-registers
// ORDER-NEXT: simt-remove-conversions
// ORDER-NEXT: simt-prefetch-loads
// ORDER-NEXT: simt-load-before-store
// ORDER-NEXT: simt-load-before-exchange
// ORDER-NEXT: simt-overlap-dots
// ORDER-NEXT: cse
// ORDER-NEXT: simt-specialize-warps

// CHECK: #[[LAYOUT:.*]] = #simt.layout
// CHECK-LABEL: tile.kernel @copy
// CHECK: tile.load_view {{.*}} -> tensor<1024xf32, #[[LAYOUT]]>
// CHECK: tile.store_view {{.*}}, tensor<1024xf32, #[[LAYOUT]]>
tile.kernel @copy(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.group = 2 : i64}, %n: i64) {
  %unit = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %vx = tile.make_view %x shape[%n] strides[%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %vy = tile.make_view %y shape[%n] strides[%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %value = tile.load_view %vx[%zero] checked [true] {group = 1 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
  tile.store_view %vy[%zero], %value checked [true] {group = 2 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
  tile.return
}
