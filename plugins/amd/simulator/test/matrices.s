// One instruction of each dense MFMA of gfx942 (of gfx950: those that gfx942 has
// not, and of 8-bit floats), or WMMA of gfx1100, that MatrixShapesTest runs: sums in v[0:31], A in v[64:71], B in v[80:87]. It is
// decoded one by one and never launched.
	.text
	.globl matrices
	.p2align 8
	.type matrices,@function
matrices:
.ifdef wmma
	v_wmma_f32_16x16x16_f16 v[0:7], v[64:71], v[80:87], v[0:7]
	v_wmma_f32_16x16x16_bf16 v[0:7], v[64:71], v[80:87], v[0:7]
	v_wmma_i32_16x16x16_iu8 v[0:7], v[64:67], v[80:83], v[0:7] neg_lo:[1,1,0]
	v_wmma_i32_16x16x16_iu4 v[0:7], v[64:65], v[80:81], v[0:7] neg_lo:[1,1,0]
.else
.ifdef deep
	v_mfma_f32_32x32x16_f16 v[0:15], v[64:67], v[80:83], v[0:15]
	v_mfma_f32_16x16x32_f16 v[0:3], v[64:67], v[80:83], v[0:3]
	v_mfma_f32_32x32x16_bf16 v[0:15], v[64:67], v[80:83], v[0:15]
	v_mfma_f32_16x16x32_bf16 v[0:3], v[64:67], v[80:83], v[0:3]
	v_mfma_i32_32x32x32_i8 v[0:15], v[64:67], v[80:83], v[0:15]
	v_mfma_i32_16x16x64_i8 v[0:3], v[64:67], v[80:83], v[0:3]
	v_mfma_f32_32x32x16_fp8_bf8 v[0:15], v[64:65], v[80:81], v[0:15]
	v_mfma_f32_16x16x32_bf8_fp8 v[0:3], v[64:65], v[80:81], v[0:3]
.else
	v_mfma_f32_32x32x1_2b_f32 v[0:31], v64, v80, v[0:31]
	v_mfma_f32_16x16x1_4b_f32 v[0:15], v64, v80, v[0:15]
	v_mfma_f32_4x4x1_16b_f32 v[0:3], v64, v80, v[0:3]
	v_mfma_f32_32x32x2_f32 v[0:15], v64, v80, v[0:15]
	v_mfma_f32_16x16x4_f32 v[0:3], v64, v80, v[0:3]
	v_mfma_f32_32x32x4_xf32 v[0:15], v[64:65], v[80:81], v[0:15]
	v_mfma_f32_16x16x8_xf32 v[0:3], v[64:65], v[80:81], v[0:3]
	v_mfma_f32_32x32x4_2b_f16 v[0:31], v[64:65], v[80:81], v[0:31]
	v_mfma_f32_16x16x4_4b_f16 v[0:15], v[64:65], v[80:81], v[0:15]
	v_mfma_f32_4x4x4_16b_f16 v[0:3], v[64:65], v[80:81], v[0:3]
	v_mfma_f32_32x32x8_f16 v[0:15], v[64:65], v[80:81], v[0:15]
	v_mfma_f32_16x16x16_f16 v[0:3], v[64:65], v[80:81], v[0:3]
	v_mfma_f32_32x32x4_2b_bf16 v[0:31], v[64:65], v[80:81], v[0:31]
	v_mfma_f32_16x16x4_4b_bf16 v[0:15], v[64:65], v[80:81], v[0:15]
	v_mfma_f32_4x4x4_16b_bf16 v[0:3], v[64:65], v[80:81], v[0:3]
	v_mfma_f32_32x32x8_bf16 v[0:15], v[64:65], v[80:81], v[0:15]
	v_mfma_f32_16x16x16_bf16 v[0:3], v[64:65], v[80:81], v[0:3]
	v_mfma_f32_32x32x16_fp8_fp8 v[0:15], v[64:65], v[80:81], v[0:15]
	v_mfma_f32_32x32x16_fp8_bf8 v[0:15], v[64:65], v[80:81], v[0:15]
	v_mfma_f32_32x32x16_bf8_fp8 v[0:15], v[64:65], v[80:81], v[0:15]
	v_mfma_f32_32x32x16_bf8_bf8 v[0:15], v[64:65], v[80:81], v[0:15]
	v_mfma_f32_16x16x32_fp8_fp8 v[0:3], v[64:65], v[80:81], v[0:3]
	v_mfma_f32_16x16x32_fp8_bf8 v[0:3], v[64:65], v[80:81], v[0:3]
	v_mfma_f32_16x16x32_bf8_fp8 v[0:3], v[64:65], v[80:81], v[0:3]
	v_mfma_f32_16x16x32_bf8_bf8 v[0:3], v[64:65], v[80:81], v[0:3]
	v_mfma_i32_32x32x16_i8 v[0:15], v[64:65], v[80:81], v[0:15]
	v_mfma_i32_16x16x32_i8 v[0:3], v[64:65], v[80:81], v[0:3]
	v_mfma_i32_32x32x4_2b_i8 v[0:31], v64, v80, v[0:31]
	v_mfma_i32_16x16x4_4b_i8 v[0:15], v64, v80, v[0:15]
	v_mfma_i32_4x4x4_16b_i8 v[0:3], v64, v80, v[0:3]
	v_mfma_f64_16x16x4_f64 v[0:7], v[64:65], v[80:81], v[0:7]
	v_mfma_f64_4x4x4_4b_f64 v[0:1], v[64:65], v[80:81], v[0:1]
.endif
.endif
	s_endpgm
	.size matrices, .-matrices
	.section .rodata,"a",@progbits
	.p2align 6
.ifdef wmma
	.amdhsa_kernel matrices
		.amdhsa_next_free_vgpr 96
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
.else
	.amdhsa_kernel matrices
		.amdhsa_next_free_vgpr 96
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 96
	.end_amdhsa_kernel
.endif
