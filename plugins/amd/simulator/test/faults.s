// Kernels with one mistake each. All take the address of 64 dwords as their one
// argument; those with LDS have 256 bytes of it.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"

.macro begin name
	.text
	.globl \name
	.p2align 8
	.type \name,@function
\name:
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
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
	.text
.endm

// Nothing is wrong: out[i] = out[i] + 1, and through LDS.
begin right
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v2, 1, v2
	v_and_b32_e32 v3, 0xfc, v1
	ds_write_b32 v3, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v4, v3
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v4, s[2:3]
finish right

begin no_scalar_wait
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	global_store_dword v1, v0, s[2:3]
finish no_scalar_wait

begin no_vector_wait
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[2:3]
	v_add_u32_e32 v2, 1, v2
	global_store_dword v1, v2, s[2:3]
finish no_vector_wait

// Two loads are in flight, and the wait is for the first of them.
begin short_vector_wait
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v1, s[2:3]
	global_load_dword v3, v1, s[2:3]
	s_waitcnt vmcnt(1)
	v_add_u32_e32 v2, 1, v2
	v_add_u32_e32 v2, v3, v2
finish short_vector_wait

begin no_shared_wait
	v_lshlrev_b32_e32 v1, 2, v0
	ds_write_b32 v1, v0
	ds_read_b32 v2, v1
	v_add_u32_e32 v2, 1, v2
finish no_shared_wait

// The counter holds 15: when the last load begins, the first one is done.
.macro loads count
	.rept \count
	ds_read_b32 v3, v1
	.endr
.endm
begin full_counter
	v_lshlrev_b32_e32 v1, 2, v0
	ds_read_b32 v2, v1
	loads 15
	v_add_u32_e32 v2, 1, v2
finish full_counter
begin nearly_full_counter
	v_lshlrev_b32_e32 v1, 2, v0
	ds_read_b32 v2, v1
	loads 14
	v_add_u32_e32 v2, 1, v2
finish nearly_full_counter
// A scalar load among them may be the one that is done.
begin full_counter_any_order
	v_lshlrev_b32_e32 v1, 2, v0
	ds_read_b32 v2, v1
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	loads 15
	v_add_u32_e32 v2, 1, v2
finish full_counter_any_order

begin late_store
	v_lshlrev_b32_e32 v1, 2, v0
	ds_write_b32 v1, v0
	s_barrier
finish late_store

begin beyond_memory
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v0, s[2:3] offset:4
finish beyond_memory

begin beyond_shared
	v_lshlrev_b32_e32 v1, 2, v0
	ds_write_b32 v1, v0 offset:4
finish beyond_shared

begin uninitialised_address
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	global_store_dword v7, v0, s[2:3]
finish uninitialised_address

// LDS that nobody wrote is an address.
begin uninitialised_shared
	v_lshlrev_b32_e32 v1, 2, v0
	ds_read_b32 v2, v1
	s_waitcnt lgkmcnt(0)
	ds_read_b32 v3, v2
finish uninitialised_shared

// The second wave ends without the barrier.
begin skipped_barrier
	v_cmp_gt_u32_e32 vcc, 64, v0
	s_cbranch_vccz .Lskip
	s_barrier
.Lskip:
finish skipped_barrier

begin endless
.Lagain:
	s_branch .Lagain
finish endless

begin unknown
	v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10
finish unknown

// A field of the mode that would change rounding.
begin unknown_form
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3
finish unknown_form

// Each wave reads what the other one wrote to LDS.
.macro exchange
	ds_write_b8 v0, v0
	s_waitcnt lgkmcnt(0)
.endm
.macro read_other
	v_xor_b32_e32 v2, 64, v0
	ds_read_u8 v3, v2
	s_waitcnt lgkmcnt(0)
.endm
begin exchange_with_barrier
	exchange
	s_barrier
	read_other
finish exchange_with_barrier
begin exchange_without_barrier
	exchange
	read_other
finish exchange_without_barrier

// Lanes of two kinds have an atomic each, which returns into one register.
.macro two_atomics
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_mov_b32_e32 v2, 3
	s_waitcnt lgkmcnt(0)
	s_mov_b64 exec, 0xf
	global_atomic_add v3, v1, v2, s[4:5] sc0
	s_not_b64 exec, exec
	global_atomic_sub v3, v1, v2, s[4:5] sc0
	s_mov_b64 exec, -1
.endm
begin atomics_in_turn
	two_atomics
	s_waitcnt vmcnt(0)
	global_store_dword v1, v3, s[4:5]
finish atomics_in_turn
begin atomic_not_waited_for
	two_atomics
	global_store_dword v1, v3, s[4:5]
finish atomic_not_waited_for

// A copy of 64 dwords straight to LDS, the first word of each at 4 * its lane.
.macro copy_directly
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_mov_b32 m0, 0
	s_waitcnt lgkmcnt(0)
	global_load_lds_dword v1, s[2:3]
.endm
begin copy_waited_for
	copy_directly
	s_barrier
	s_waitcnt vmcnt(0)
	ds_read_b32 v2, v1
	s_waitcnt lgkmcnt(0)
finish copy_waited_for
begin late_copy
	copy_directly
	s_barrier
	ds_read_b32 v2, v1
	s_waitcnt lgkmcnt(0)
finish late_copy

// The load may be late, and the other wave stores behind the barrier.
begin load_not_waited_for
	v_xor_b32_e32 v2, 64, v0
	ds_write_b8 v0, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_u8 v3, v2
	s_barrier
	v_add_u32_e32 v4, 1, v0
	ds_write_b8 v0, v4
	s_waitcnt lgkmcnt(0)
finish load_not_waited_for

// Work-groups store their number, which is in s2; with an atomic before and
// behind, each of them knows of the other.
.macro group_store
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_mov_b32_e32 v2, s2
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 0
	s_waitcnt lgkmcnt(0)
.endm
begin groups
	group_store
	global_store_dword v1, v2, s[4:5] offset:128
finish groups
begin groups_with_atomics
	group_store
	global_atomic_add v4, v5, s[4:5]
	s_waitcnt vmcnt(0)
	global_store_dword v1, v2, s[4:5] offset:128
	s_waitcnt vmcnt(0)
	global_atomic_add v4, v5, s[4:5]
finish groups_with_atomics

// Every second dword: two of them are in each bank.
begin strided
	v_lshlrev_b32_e32 v1, 3, v0
	v_and_b32_e32 v1, 0xf8, v1
	ds_write_b32 v1, v0
	s_waitcnt lgkmcnt(0)
finish strided
