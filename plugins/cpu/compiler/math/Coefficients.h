//===- Coefficients.h - Minimax polynomials, made by fit.py ---------------===//
//
// What   Coefficients of the kernels of Math, lowest power first.
// Why    Generated: the fits are reproducible and their errors are stated.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_MATH_COEFFICIENTS_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_MATH_COEFFICIENTS_H

namespace tz::cpu::math {

/// (2^r - 1) / r; weighted error 2^-28.981.
inline constexpr double kExp2F32[] = {
    0x1.62e4300000000p-1, 0x1.ebfbe00000000p-3,  0x1.c6aed00000000p-5,
    0x1.3b29aa0000000p-7, 0x1.5f47b20000000p-10, 0x1.448fda0000000p-13};

/// (2^r - 1) / r; weighted error 2^-64.402.
inline constexpr double kExp2F64[] = {
    0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0d1p-5,
    0x1.3b2ab6fba4e82p-7,  0x1.5d87fe78a22cdp-10, 0x1.430912f868d26p-13,
    0x1.ffcbfc75e47fbp-17, 0x1.62c0224db051cp-20, 0x1.b524db530812ap-24,
    0x1.e4cee816dd62cp-28, 0x1.ea04203814a47p-32, 0x1.c4dad0a297fd7p-36};

/// (e^r - 1 - r) / r^2; weighted error 2^-28.252.
inline constexpr double kExpF32[] = {0x1.0000000000000p-1, 0x1.55548e0000000p-3,
                                     0x1.55545e0000000p-5, 0x1.123b520000000p-7,
                                     0x1.6db4ce0000000p-10};

/// (e^r - 1 - r) / r^2; weighted error 2^-64.013.
inline constexpr double kExpF64[] = {
    0x1.0000000000000p-1,  0x1.555555555555cp-3,  0x1.555555555555ep-5,
    0x1.111111110ebb4p-7,  0x1.6c16c16c135dap-10, 0x1.a01a01b3ba67dp-13,
    0x1.a01a01b440365p-16, 0x1.71ddef959c474p-19, 0x1.27e4bf59223c5p-22,
    0x1.af6cc9af5f1cap-26, 0x1.1f9db649b5c1cp-29};

/// (log(1+f) - f + f^2/2) / f^3; weighted error 2^-27.576.
inline constexpr double kLogF32[] = {
    0x1.55550c0000000p-2,  -0x1.fffe5e0000000p-3, 0x1.99ce420000000p-3,
    -0x1.55b7e00000000p-3, 0x1.1ef1920000000p-3,  -0x1.f03cca0000000p-4,
    0x1.1df36e0000000p-3,  -0x1.0e293e0000000p-3};

/// log2(1+f) / f - 1; weighted error 2^-27.32.
inline constexpr double kLog2F32[] = {
    0x1.c551da0000000p-2,  -0x1.7154780000000p-1, 0x1.ec6ff40000000p-2,
    -0x1.71524c0000000p-2, 0x1.27a5c60000000p-2,  -0x1.ed2be40000000p-3,
    0x1.9d14400000000p-3,  -0x1.6451a20000000p-3, 0x1.a03b540000000p-3,
    -0x1.8b27b60000000p-3};

/// (log((1+s)/(1-s)) - 2s) / s^3 in s^2; weighted error 2^-58.762.
inline constexpr double kLogF64[] = {
    0x1.5555555555555p-1, 0x1.9999999999a39p-2, 0x1.2492492476909p-2,
    0x1.c71c7201b9a97p-3, 0x1.745cf8dfa4bc1p-3, 0x1.3b1c3c98219c0p-3,
    0x1.0fbde1923711ap-3, 0x1.0c0a7f4465bc2p-3};

/// (sin r - r) / r^3 in r^2; weighted error 2^-28.042.
inline constexpr double kSinF32[] = {
    -0x1.5555460000000p-3, 0x1.1107560000000p-7, -0x1.994b400000000p-13};

/// (cos r - 1 + r^2/2) / r^4 in r^2; weighted error 2^-33.273.
inline constexpr double kCosF32[] = {
    0x1.55554a0000000p-5, -0x1.6c0c820000000p-10, 0x1.99ff4c0000000p-16};

/// (sin r - r) / r^3 in r^2; weighted error 2^-68.791.
inline constexpr double kSinF64[] = {
    -0x1.5555555555555p-3, 0x1.111111111110bp-7,   -0x1.a01a01a018ab2p-13,
    0x1.71de3a53355f9p-19, -0x1.ae645292dc249p-26, 0x1.61208f30b761dp-33,
    -0x1.aaa37fb8a5b5cp-41};

/// (cos r - 1 + r^2/2) / r^4 in r^2; weighted error 2^-75.216.
inline constexpr double kCosF64[] = {
    0x1.5555555555555p-5,   -0x1.6c16c16c16c10p-10, 0x1.a01a01a018dbfp-16,
    -0x1.27e4fb75fa950p-22, 0x1.1eed8ca0618bcp-29,  -0x1.9393347cf2200p-37,
    0x1.aac3f4fd76abbp-45};

/// (tanh x / x - 1) / x^2 in x^2; weighted error 2^-29.542.
inline constexpr double kTanhF32[] = {
    -0x1.5555480000000p-2, 0x1.110c8c0000000p-3, -0x1.b90d140000000p-5,
    0x1.584c440000000p-6, -0x1.9594200000000p-8};

/// (tanh x / x - 1) / x^2 in x^2; weighted error 2^-70.043.
inline constexpr double kTanhF64[] = {
    -0x1.5555555555555p-2,  0x1.111111111110bp-3,   -0x1.ba1ba1ba1b1efp-5,
    0x1.664f488293a72p-6,   -0x1.226e35551d400p-7,  0x1.d6d3ce6c835f0p-9,
    -0x1.7da32c233658fp-10, 0x1.3554a45af90a6p-11,  -0x1.f52e82b21ae9cp-13,
    0x1.94082f4fc6561p-14,  -0x1.3bca43ae12cb0p-15, 0x1.aef636b05d16fp-17,
    -0x1.71173d966bce2p-19};

/// erf x / x - 1 in x^2; weighted error 2^-30.633.
inline constexpr double kErfF32[] = {
    0x1.06eba80000000p-3,  -0x1.8127420000000p-2, 0x1.ce2de20000000p-4,
    -0x1.b80b0e0000000p-6, 0x1.54a48e0000000p-8,  -0x1.a8fc540000000p-11,
    0x1.5894280000000p-14};

/// -log(erfc x) / x; weighted error 2^-34.889.
inline constexpr double kErfTailF32[] = {
    0x1.20e37e0000000p+0,   0x1.45aa740000000p-1,  0x1.aaeaf60000000p-4,
    -0x1.5d3e980000000p-6,  0x1.e2a7100000000p-10, 0x1.0452700000000p-11,
    -0x1.be2b6a0000000p-13, 0x1.18e6e00000000p-15, -0x1.176c680000000p-19};

/// erf x / x - 1 in x^2; weighted error 2^-62.782.
inline constexpr double kErfF64[] = {
    0x1.06eba8214db69p-3,   -0x1.812746b0379e6p-2,  0x1.ce2f21a042b34p-4,
    -0x1.b82ce31284f38p-6,  0x1.565bcd0dbd920p-8,   -0x1.c02db3db49904p-11,
    0x1.f9a321e4be386p-14,  -0x1.f4d1e4355e13ep-17, 0x1.b9df3066e1473p-20,
    -0x1.5f1f416085f5ap-23, 0x1.f7b9a24ba1a2dp-27,  -0x1.38ac32d83872bp-30,
    0x1.06278909c44d2p-34};

/// erfc x * e^(x^2) in t = 2 / (x + 1); weighted error 2^-69.391.
inline constexpr double kErfTailF64[] = {
    0x1.9a4e55e984269p-21,  0x1.20d843d446227p-2,   0x1.215b782726069p-3,
    0x1.1206a0c793402p-5,   -0x1.0b3259fc5e327p-7,  -0x1.dec4f43f9a03cp-5,
    0x1.a84ede1c30f6bp-4,   -0x1.c8a917c7c1149p-3,  0x1.a3d91e536670ap-2,
    -0x1.0c4fc762836d2p-1,  0x1.e2bf5163d00c1p-2,   -0x1.381e62ae501e6p-2,
    0x1.204bc43411f3dp-3,   -0x1.6afb59e7413c8p-5,  0x1.0dfb33ba82c6ap-7,
    -0x1.a59c55dc6f759p-12, -0x1.4ce1472457371p-13, 0x1.aabe4c36414ffp-16};

/// 64 zero bits, then the binary fraction of 2/pi.
inline constexpr unsigned long kTwoOverPi[] = {
    0x0000000000000000u, 0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u,
    0xdb6295993c439041u, 0xfe5163abdebbc561u, 0xb7246e3a424dd2e0u,
    0x06492eea09d1921cu, 0xfe1deb1cb129a73eu, 0xe88235f52ebb4484u,
    0xe99c7026b45f7e41u, 0x3991d639835339f4u, 0x9c845f8bbdf9283bu,
    0x1ff897ffde05980fu, 0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u,
    0x4f463f669e5fea2du, 0x7527bac7ebe5f17bu, 0x3d0739f78a5292eau,
    0x6bfb5fb11f8d5d08u, 0x56033046fc7b6babu, 0xf0cfbc209af4361du};

} // namespace tz::cpu::math

#endif
