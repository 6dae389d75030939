/*
 * table_float_list.h - the instructions of table_float.c that are one expression, with rows of others among them. It is
 * included twice, as table.h says. Those of f32 and f64 enter the control word first, and count 1 operation for the
 * report.
 */

/* ---- arithmetic, roots, approximate functions ---- */
F32_SAT("add.f32", add_f32, a + b)
F32_SAT("sub.f32", sub_f32, a - b)
F32_SAT("mul.f32", mul_f32, a * b)
ROW_OF("fma.f32 mad.f32", fma_f32, "wwww", RFS, COMPUTATION, 2)
F64_TWO("add.f64", add_f64, prefer_f64(canon_f64(a + b), b))
F64_TWO("sub.f64", sub_f64, prefer_f64(canon_f64(a - b), b))
F64_TWO("mul.f64", mul_f64, prefer_f64(canon_f64(a * b), b))
ROW_OF("fma.f64 mad.f64", fma_f64, "qqqq", R, DOUBLE, 2)
F32_TWO("div.f32", div_f32, RF, canon_f32(a / b))
ROW_OF("div.full.f32", div_full_f32, "www", ALLOW_FTZ, COMPUTATION, 1)
ROW_OF("div.approx.f32", div_approx_f32, "www", ALLOW_FTZ, COMPUTATION, 1)
F64_TWO("div.f64", div_f64, prefer_f64(canon_f64(a / b), a))
F32_ONE("rcp.f32", rcp_f32, RF, canon_f32(1.0f / a))
F64_ONE("rcp.f64", rcp_f64, R, DOUBLE, canon_f64(1.0 / a))
ROW_OF("sqrt.f32", sqrt_f32, "ww", RF, SPECIAL, 1)
ROW_OF("sqrt.f64", sqrt_f64, "qq", R, DOUBLE, 1)
ROW_OF("rcp.approx.f32", rcp_approx_f32, "ww", ALLOW_FTZ, SPECIAL, 1)
ROW_OF("sqrt.approx.f32", sqrt_approx_f32, "ww", ALLOW_FTZ, SPECIAL, 1)
ROW_OF("rsqrt.approx.f32", rsqrt_approx_f32, "ww", ALLOW_FTZ, SPECIAL, 1)
ROW_OF("rcp.approx.ftz.f64 rcp.approx.f64", rcp_approx_f64, "qq", 0, SPECIAL, 1)
ROW_OF("rsqrt.approx.f64", rsqrt_f64, "qq", 0, SPECIAL, 1)
ROW_OF("rsqrt.approx.ftz.f64", rsqrt_approx_f64, "qq", 0, SPECIAL, 1)
ROW_OF("ex2.approx.f32", ex2_f32, "ww", ALLOW_FTZ, SPECIAL, 1)
ROW_OF("lg2.approx.f32", lg2_f32, "ww", ALLOW_FTZ, SPECIAL, 1)
ROW_OF("sin.approx.f32", sin_f32, "ww", ALLOW_FTZ, SPECIAL, 1)
ROW_OF("cos.approx.f32", cos_f32, "ww", ALLOW_FTZ, SPECIAL, 1)
ROW_OF("tanh.approx.f32", tanh_f32, "ww", 0, SPECIAL, 1)

/* ---- signs, minimum, maximum: on the bits ---- */
SIGN("abs.f32", abs_f32, a & ~SIGN32)
SIGN("neg.f32", neg_f32, a ^ SIGN32)
/* In f64 NaN keeps its sign here, too. */
ONE_OF("abs.f64", abs_f64, u64, u64, DOUBLE, 0, nan_64(a) ? a | QUIET64 : a & ~SIGN64)
ONE_OF("neg.f64", neg_f64, u64, u64, DOUBLE, 0, nan_64(a) ? a | QUIET64 : a ^ SIGN64)
TWO("copysign.f32", copysign_f32, u32, u32, u32, (a & SIGN32) | (b & ~SIGN32))
TWO("copysign.f64", copysign_f64, u64, u64, u64, (a & SIGN64) | (b & ~SIGN64))

/* Whether it is the maximum, .NaN, .xorsign.abs. */
EXTREMUM("min.f32", min_f32, false, false, false)
EXTREMUM("max.f32", max_f32, true, false, false)
EXTREMUM("min.NaN.f32", min_nan_f32, false, true, false)
EXTREMUM("max.NaN.f32", max_nan_f32, true, true, false)
EXTREMUM("min.xorsign.abs.f32", min_xor_f32, false, false, true)
EXTREMUM("max.xorsign.abs.f32", max_xor_f32, true, false, true)
EXTREMUM("min.NaN.xorsign.abs.f32", min_nan_xor_f32, false, true, true)
EXTREMUM("max.NaN.xorsign.abs.f32", max_nan_xor_f32, true, true, true)
TWO_OF("min.f64", min_f64, u64, u64, u64, DOUBLE, 1, extremum_64(a, b, false))
TWO_OF("max.f64", max_f64, u64, u64, u64, DOUBLE, 1, extremum_64(a, b, true))

/* The low 8 bits of a lane, extended in the lane. */
ONE("@ext8.u.2", ext8_u_2, u16, u16, (u8)a)
ONE("@ext8.s.2", ext8_s_2, u16, u16, (s8)a)
ONE("@ext8.u.4", ext8_u_4, u32, u32, (u8)a)
ONE("@ext8.s.4", ext8_s_4, u32, u32, (s8)a)
ONE("@ext8.u.8", ext8_u_8, u64, u64, (u8)a)
ONE("@ext8.s.8", ext8_s_8, u64, u64, (s8)a)
