// Kernels of gfx1100, waves of 32 lanes. All take the address of 64 dwords as
// their one argument.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"

.macro begin name
	.text
	.globl \name
	.p2align 8
	.type \name,@function
\name:
	s_load_b64 s[2:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
.endm
.macro finish name
	s_endpgm
	.size \name, .-\name
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_group_segment_fixed_size 256
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
	.text
.endm

// A pair of instructions reads before it writes: v2 and v3 change places.
begin pair
	v_mov_b32_e32 v2, 5
	v_mov_b32_e32 v3, 7
	v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v3, v2
	v_lshl_or_b32 v2, v3, 8, v2
	global_store_b32 v1, v2, s[2:3]
finish pair

// The comparison leaves the lanes below 16 active.
begin compare_active
	v_cmpx_gt_u32_e32 16, v0
	global_store_b32 v1, v0, s[2:3]
finish compare_active

// The store is not in the counter of loads, so the load may be the one left.
begin stores_count_apart
	global_load_b32 v2, v1, s[2:3]
	global_store_b32 v1, v0, s[2:3]
	s_waitcnt vmcnt(1)
	v_add_nc_u32_e32 v2, 1, v2
finish stores_count_apart

// The one counter is waited for, and the other one is meant.
begin other_counter
	global_load_b32 v2, v1, s[2:3]
	s_waitcnt_vscnt null, 0x0
	v_add_nc_u32_e32 v2, 1, v2
finish other_counter

// 16-bit halves of registers have names of their own.
begin halves
	v_mov_b32_e32 v2, 0x40003c00
	v_add_f16_e32 v3.l, v2.l, v2.h
	v_mov_b16_e32 v3.h, v2.l
	global_store_b32 v1, v3, s[2:3]
finish halves

// The first two waves store dwords that the others store too.
.macro two_stores
	v_and_b32_e32 v1, 0xfc, v1
	v_readfirstlane_b32 s4, v0
	s_cmp_gt_u32 s4, 63
	s_cbranch_scc1 1f
	global_store_b32 v1, v0, s[2:3]
1:
.endm
.macro second_store
	s_cmp_lt_u32 s4, 64
	s_cbranch_scc1 1f
	global_store_b32 v1, v0, s[2:3]
1:
.endm
begin memory_with_wait
	two_stores
	s_waitcnt_vscnt null, 0x0
	s_barrier
	second_store
finish memory_with_wait
begin memory_with_another_wait
	two_stores
	s_waitcnt vmcnt(0)
	s_barrier
	second_store
finish memory_with_another_wait
begin memory_without_barrier
	two_stores
	s_waitcnt_vscnt null, 0x0
	second_store
finish memory_without_barrier
