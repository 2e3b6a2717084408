//go:build amd64 && !purego

#include "go_asm.h"
#include "textflag.h"

// Adds the 8 numbers of Y0 into X0; uses X1.
#define SUM_FLOATS \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS X1, X0, X0; \
	VHADDPS X0, X0, X0; \
	VHADDPS X0, X0, X0

// Adds the 8 numbers of Y0 into AX; uses X1.
#define SUM_INTS \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDD X1, X0, X0; \
	VPHADDD X0, X0, X0; \
	VPHADDD X0, X0, X0; \
	VMOVD X0, AX

// func dotAVX2(a, b []float32) float32
TEXT ·dotAVX2(SB), NOSPLIT, $0-52
	MOVQ a_base+0(FP), SI
	MOVQ a_len+8(FP), CX
	MOVQ b_base+24(FP), DI
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	JMP dot32next
dot32:
	VMOVUPS (SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	VFMADD231PS (DI), Y4, Y0
	VFMADD231PS 32(DI), Y5, Y1
	VFMADD231PS 64(DI), Y6, Y2
	VFMADD231PS 96(DI), Y7, Y3
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $32, CX
dot32next:
	CMPQ CX, $32
	JGE dot32
	VADDPS Y1, Y0, Y0
	VADDPS Y3, Y2, Y2
	VADDPS Y2, Y0, Y0
	JMP dot8next
dot8:
	VMOVUPS (SI), Y4
	VFMADD231PS (DI), Y4, Y0
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
dot8next:
	CMPQ CX, $8
	JGE dot8
	SUM_FLOATS
	JMP dot1next
dot1:
	VMOVSS (SI), X4
	VFMADD231SS (DI), X4, X0
	ADDQ $4, SI
	ADDQ $4, DI
	DECQ CX
dot1next:
	TESTQ CX, CX
	JNZ dot1
	VMOVSS X0, ret+48(FP)
	VZEROUPPER
	RET

// func dotInt8AVX2(a, b []int8) int32
TEXT ·dotInt8AVX2(SB), NOSPLIT, $0-52
	MOVQ a_base+0(FP), SI
	MOVQ a_len+8(FP), CX
	MOVQ b_base+24(FP), DI
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	JMP i32next
i32:
	VPMOVSXBW (SI), Y4
	VPMOVSXBW 16(SI), Y5
	VPMOVSXBW (DI), Y6
	VPMOVSXBW 16(DI), Y7
	VPMADDWD Y6, Y4, Y4
	VPMADDWD Y7, Y5, Y5
	VPADDD Y4, Y0, Y0
	VPADDD Y5, Y1, Y1
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $32, CX
i32next:
	CMPQ CX, $32
	JGE i32
	VPADDD Y1, Y0, Y0
	SUM_INTS
	JMP i1next
i1:
	MOVBLSX (SI), BX
	MOVBLSX (DI), DX
	IMULL DX, BX
	ADDL BX, AX
	INCQ SI
	ADDQ $1, DI
	DECQ CX
i1next:
	TESTQ CX, CX
	JNZ i1
	MOVL AX, ret+48(FP)
	VZEROUPPER
	RET

// func dotInt8QueryAVX2(code []int8, query []int16) int32
TEXT ·dotInt8QueryAVX2(SB), NOSPLIT, $0-52
	MOVQ code_base+0(FP), SI
	MOVQ code_len+8(FP), CX
	MOVQ query_base+24(FP), DI
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	JMP q32next
q32:
	VPMOVSXBW (SI), Y4
	VPMOVSXBW 16(SI), Y5
	VPMADDWD (DI), Y4, Y4
	VPMADDWD 32(DI), Y5, Y5
	VPADDD Y4, Y0, Y0
	VPADDD Y5, Y1, Y1
	ADDQ $32, SI
	ADDQ $64, DI
	SUBQ $32, CX
q32next:
	CMPQ CX, $32
	JGE q32
	VPADDD Y1, Y0, Y0
	SUM_INTS
	JMP q1next
q1:
	MOVBLSX (SI), BX
	MOVWLSX (DI), DX
	IMULL DX, BX
	ADDL BX, AX
	INCQ SI
	ADDQ $2, DI
	DECQ CX
q1next:
	TESTQ CX, CX
	JNZ q1
	MOVL AX, ret+48(FP)
	VZEROUPPER
	RET

DATA flip<>+0(SB)/4, $0x80808080
GLOBL flip<>(SB), RODATA|NOPTR, $4

// func dotRowsAVX512(dst []int32, code []int8, rows *int8)
TEXT ·dotRowsAVX512(SB), NOSPLIT, $0-56
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ code_base+24(FP), SI
	MOVQ code_len+32(FP), DX
	MOVQ rows+48(FP), BX
	VPBROADCASTD flip<>(SB), Z5
	JMP rownext
row:
	VPXORD Z0, Z0, Z0
	XORQ R8, R8
row64:
	VPXORD (SI)(R8*1), Z5, Z4 // bytes without a sign
	VPDPBUSD (BX)(R8*1), Z4, Z0
	ADDQ $64, R8
	CMPQ R8, DX
	JLT row64
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD Y1, Y0, Y0
	SUM_INTS
	MOVL AX, (DI)
	ADDQ $4, DI
	ADDQ DX, BX
	DECQ CX
rownext:
	TESTQ CX, CX
	JNZ row
	VZEROUPPER
	RET

// Sign bits that turn a+b into a-b where the Hadamard matrix has -1, for the strides 1, 2 and 4.
DATA minus1<>+0(SB)/8, $0x8000000000000000
DATA minus1<>+8(SB)/8, $0x8000000000000000
DATA minus1<>+16(SB)/8, $0x8000000000000000
DATA minus1<>+24(SB)/8, $0x8000000000000000
GLOBL minus1<>(SB), RODATA|NOPTR, $32
DATA minus2<>+0(SB)/8, $0
DATA minus2<>+8(SB)/8, $0x8000000080000000
DATA minus2<>+16(SB)/8, $0
DATA minus2<>+24(SB)/8, $0x8000000080000000
GLOBL minus2<>(SB), RODATA|NOPTR, $32
DATA minus4<>+0(SB)/8, $0
DATA minus4<>+8(SB)/8, $0
DATA minus4<>+16(SB)/8, $0x8000000080000000
DATA minus4<>+24(SB)/8, $0x8000000080000000
GLOBL minus4<>(SB), RODATA|NOPTR, $32

// func hadamardAVX2(x, signs []float32)
TEXT ·hadamardAVX2(SB), NOSPLIT, $0-48
	MOVQ x_base+0(FP), DI
	MOVQ x_len+8(FP), CX
	MOVQ signs_base+24(FP), SI
	VMOVUPS minus1<>(SB), Y13
	VMOVUPS minus2<>(SB), Y14
	VMOVUPS minus4<>(SB), Y15
	SHLQ $2, CX            // length in bytes
	XORQ AX, AX
inside:                        // strides 1, 2, 4 within 8 numbers
	VMOVUPS (DI)(AX*1), Y0
	VMULPS (SI)(AX*1), Y0, Y0
	VMOVSLDUP Y0, Y1
	VMOVSHDUP Y0, Y2
	VXORPS Y13, Y2, Y2
	VADDPS Y2, Y1, Y0
	VPERMILPS $0x44, Y0, Y1
	VPERMILPS $0xEE, Y0, Y2
	VXORPS Y14, Y2, Y2
	VADDPS Y2, Y1, Y0
	VPERM2F128 $0x00, Y0, Y0, Y1
	VPERM2F128 $0x11, Y0, Y0, Y2
	VXORPS Y15, Y2, Y2
	VADDPS Y2, Y1, Y0
	VMOVUPS Y0, (DI)(AX*1)
	ADDQ $32, AX
	CMPQ AX, CX
	JLT inside
	LEAQ (DI)(CX*1), R10   // end
	MOVQ $32, BX           // stride in bytes
stride:
	CMPQ BX, CX
	JGE hadamardDone
	MOVQ DI, R8
pairs:
	LEAQ (R8)(BX*1), R9    // upper half; also the end of the lower
	MOVQ R9, DX
butterfly:
	VMOVUPS (R8), Y0
	VMOVUPS (R9), Y1
	VADDPS Y1, Y0, Y2
	VSUBPS Y1, Y0, Y3
	VMOVUPS Y2, (R8)
	VMOVUPS Y3, (R9)
	ADDQ $32, R8
	ADDQ $32, R9
	CMPQ R8, DX
	JLT butterfly
	MOVQ R9, R8
	CMPQ R8, R10
	JLT pairs
	ADDQ BX, BX
	JMP stride
hadamardDone:
	VZEROUPPER
	RET

// Interleaves the bytes of the two words of a lane: a0 b0 a1 b1 ... a7 b7.
DATA zip<>+0(SB)/8, $0x0b030a0209010800
DATA zip<>+8(SB)/8, $0x0f070e060d050c04
DATA zip<>+16(SB)/8, $0x0b030a0209010800
DATA zip<>+24(SB)/8, $0x0f070e060d050c04
GLOBL zip<>(SB), RODATA|NOPTR, $32
DATA nibble<>+0(SB)/4, $0x0f0f0f0f
GLOBL nibble<>(SB), RODATA|NOPTR, $4

// Looks the nibbles of the bytes of ja and jb, one byte of each of 32 codes, up in their tables at off(DX) and adds
// the results, which fit a byte (4·60), to the 16-bit sums: Y13 gets even bytes plus 256 times odd ones, Y12 odd ones.
#define LOOKUP(ja, jb, off) \
	VPAND Y15, ja, Y1; \
	VPSRLW $4, ja, ja; \
	VPAND Y15, ja, ja; \
	VBROADCASTI128 (off+0)(DX), Y3; \
	VPSHUFB Y1, Y3, Y1; \
	VBROADCASTI128 (off+16)(DX), Y3; \
	VPSHUFB ja, Y3, ja; \
	VPADDB Y1, ja, ja; \
	VPAND Y15, jb, Y5; \
	VPSRLW $4, jb, jb; \
	VPAND Y15, jb, jb; \
	VBROADCASTI128 (off+32)(DX), Y7; \
	VPSHUFB Y5, Y7, Y5; \
	VBROADCASTI128 (off+48)(DX), Y7; \
	VPSHUFB jb, Y7, jb; \
	VPADDB Y5, jb, jb; \
	VPADDB jb, ja, ja; \
	VPADDW ja, Y13, Y13; \
	VPSRLW $8, ja, ja; \
	VPADDW ja, Y12, Y12

// Turns the eight sums in y into estimates of the group whose factors are at off(R11), and sets a bit of r for each that
// reaches the threshold. The steps round as in scanGo.
#define ESTIMATE(y, off, r) \
	VPMOVZXWD off(R11), Y0; \
	VPSLLD $16, Y0, Y0; \
	VCVTDQ2PS y, y; \
	VMULPS Y8, y, y; \
	VADDPS Y9, y, y; \
	VMULPS Y0, y, y; \
	VADDPS Y11, y, y; \
	VCMPPS $0x1D, Y3, y, Y1; \
	VMOVMSKPS Y1, r

// Sets r to what is to be fetched while the codes at R8 are scanned: what lies so far on that it has come when it is needed, in this
// block or in the next.
#define AHEAD(r) \
	MOVQ scanArgs_lead(AX), r; \
	ADDQ R8, r; \
	CMPQ r, scanArgs_end(AX); \
	JCS 2(PC); \
	ADDQ scanArgs_jump(AX), r

// func scanAVX2(a *scanArgs)
//
// Four groups are scanned at a time. Each word of their 32 codes is transposed in registers to eight registers of one
// byte of each code, because VPSHUFB can look the sums of 4 dimensions up only for bytes that share a table (the idea
// of F. Andre et al., "Cache locality is not enough: High-Performance Nearest Neighbor Search with Product Quantization
// Fast Scan", VLDB 2015). That is half the work of counting the bits of four ANDs.
TEXT ·scanAVX2(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), AX
	MOVQ scanArgs_codes(AX), R8
	MOVQ scanArgs_units(AX), R10
	MOVQ scanArgs_scale(AX), R11
	MOVQ scanArgs_live(AX), R13
	MOVQ scanArgs_mask(AX), DI
	MOVQ scanArgs_est(AX), SI
	MOVQ (scanArgs_offset+8)(AX), BX
	MOVQ (scanArgs_offset+16)(AX), R14
	MOVQ (scanArgs_offset+24)(AX), CX
	VMOVDQU zip<>(SB), Y14
	VPBROADCASTD nibble<>(SB), Y15
unit:
	CMPL (R13), $0
	JEQ nextUnit           // nobody lives here
	MOVQ scanArgs_table(AX), DX
	VPXOR Y12, Y12, Y12
	VPXOR Y13, Y13, Y13
	MOVQ scanArgs_words(AX), R15
	AHEAD(R9)
	PREFETCHT0 256(R11)
word:
	PREFETCHT0 (R9)
	PREFETCHT0 64(R9)
	PREFETCHT0 128(R9)
	PREFETCHT0 192(R9)
	ADDQ $256, R9
	VMOVDQU (R8), Y0
	VMOVDQU 32(R8), Y1
	VMOVDQU (R8)(BX*1), Y2
	VMOVDQU 32(R8)(BX*1), Y3
	VMOVDQU (R8)(R14*1), Y4
	VMOVDQU 32(R8)(R14*1), Y5
	VMOVDQU (R8)(CX*1), Y6
	VMOVDQU 32(R8)(CX*1), Y7
	VPSHUFB Y14, Y0, Y0
	VPSHUFB Y14, Y1, Y1
	VPSHUFB Y14, Y2, Y2
	VPSHUFB Y14, Y3, Y3
	VPSHUFB Y14, Y4, Y4
	VPSHUFB Y14, Y5, Y5
	VPSHUFB Y14, Y6, Y6
	VPSHUFB Y14, Y7, Y7
	VPUNPCKLWD Y1, Y0, Y8
	VPUNPCKHWD Y1, Y0, Y0
	VPUNPCKLWD Y3, Y2, Y9
	VPUNPCKHWD Y3, Y2, Y2
	VPUNPCKLWD Y5, Y4, Y10
	VPUNPCKHWD Y5, Y4, Y4
	VPUNPCKLWD Y7, Y6, Y11
	VPUNPCKHWD Y7, Y6, Y6
	VPUNPCKLDQ Y9, Y8, Y1
	VPUNPCKHDQ Y9, Y8, Y3
	VPUNPCKLDQ Y11, Y10, Y5
	VPUNPCKHDQ Y11, Y10, Y7
	VPUNPCKLQDQ Y5, Y1, Y8
	VPUNPCKHQDQ Y5, Y1, Y9
	VPUNPCKLQDQ Y7, Y3, Y10
	VPUNPCKHQDQ Y7, Y3, Y11
	LOOKUP(Y8, Y9, 0)
	LOOKUP(Y10, Y11, 64)
	VPUNPCKLDQ Y2, Y0, Y1
	VPUNPCKHDQ Y2, Y0, Y3
	VPUNPCKLDQ Y6, Y4, Y5
	VPUNPCKHDQ Y6, Y4, Y7
	VPUNPCKLQDQ Y5, Y1, Y8
	VPUNPCKHQDQ Y5, Y1, Y9
	VPUNPCKLQDQ Y7, Y3, Y10
	VPUNPCKHQDQ Y7, Y3, Y11
	LOOKUP(Y8, Y9, 128)
	LOOKUP(Y10, Y11, 192)
	ADDQ $64, R8
	ADDQ $256, DX
	DECQ R15
	JNZ word
	MOVQ scanArgs_words(AX), R15
	SHLQ $6, R15
	SUBQ R15, R8           // back to the start of the unit
	VPSLLW $8, Y12, Y0
	VPSUBW Y0, Y13, Y13    // even bytes alone
	VPUNPCKLWD Y12, Y13, Y0
	VPUNPCKHWD Y12, Y13, Y1
	VPXOR Y2, Y2, Y2
	VPUNPCKLWD Y2, Y0, Y4
	VPUNPCKHWD Y2, Y0, Y5
	VPUNPCKLWD Y2, Y1, Y6
	VPUNPCKHWD Y2, Y1, Y7
	VPERMQ $0xD8, Y4, Y4   // now slots 0..7 of the group in order
	VPERMQ $0xD8, Y5, Y5
	VPERMQ $0xD8, Y6, Y6
	VPERMQ $0xD8, Y7, Y7
	VBROADCASTSS (scanArgs_estimate+estimate_mul)(AX), Y8
	VBROADCASTSS (scanArgs_estimate+estimate_add)(AX), Y9
	VBROADCASTSS (scanArgs_estimate+estimate_base)(AX), Y11
	VBROADCASTSS (scanArgs_estimate+estimate_threshold)(AX), Y3
	ESTIMATE(Y7, 48, DX)
	SHLL $8, DX
	ESTIMATE(Y6, 32, R15)
	ORL R15, DX
	SHLL $8, DX
	ESTIMATE(Y5, 16, R15)
	ORL R15, DX
	SHLL $8, DX
	ESTIMATE(Y4, 0, R15)
	ORL R15, DX
	ANDL (R13), DX
	JZ nextUnit
	MOVL DX, (DI)
	VMOVUPS Y4, (SI)
	VMOVUPS Y5, 32(SI)
	VMOVUPS Y6, 64(SI)
	VMOVUPS Y7, 96(SI)
nextUnit:
	ADDQ scanArgs_unit(AX), R8
	ADDQ $64, R11
	ADDQ $128, SI
	ADDQ $4, R13
	ADDQ $4, DI
	DECQ R10
	JNZ unit
	VZEROUPPER
	RET

DATA evens<>+0(SB)/8, $0x0000000200000000
DATA evens<>+8(SB)/8, $0x0000000600000004
DATA evens<>+16(SB)/8, $0x0000000a00000008
DATA evens<>+24(SB)/8, $0x0000000e0000000c
DATA evens<>+32(SB)/8, $0x0000001200000010
DATA evens<>+40(SB)/8, $0x0000001600000014
DATA evens<>+48(SB)/8, $0x0000001a00000018
DATA evens<>+56(SB)/8, $0x0000001e0000001c
GLOBL evens<>(SB), RODATA|NOPTR, $64

// Fetches four lines of codes ahead, and has the next word of the four planes of the query in Z20 to Z23.
#define NEXT_WORD \
	PREFETCHT0 (R9); \
	PREFETCHT0 64(R9); \
	PREFETCHT0 128(R9); \
	PREFETCHT0 192(R9); \
	ADDQ $256, R9; \
	VPBROADCASTQ (DX), Z20; \
	VPBROADCASTQ 8(DX), Z21; \
	VPBROADCASTQ 16(DX), Z22; \
	VPBROADCASTQ 24(DX), Z23; \
	ADDQ $32, DX

// Counts for the eight words at codes how many bits agree with those of the query in each of its four planes.
#define COUNT(codes, a, b, c, d) \
	VMOVDQU64 codes, Z24; \
	VPXORQ Z24, Z20, a; \
	VPXORQ Z24, Z21, b; \
	VPXORQ Z24, Z22, c; \
	VPXORQ Z24, Z23, d; \
	VPOPCNTQ a, a; \
	VPOPCNTQ b, b; \
	VPOPCNTQ c, c; \
	VPOPCNTQ d, d

// Adds them to what was counted before.
#define COUNT_ON(codes, a, b, c, d) \
	COUNT(codes, Z25, Z26, Z27, Z24); \
	VPADDQ Z25, a, a; \
	VPADDQ Z26, b, b; \
	VPADDQ Z27, c, c; \
	VPADDQ Z24, d, d

// Turns the counts a0..a3 of one group and b0..b3 of the next into the estimates of their 16 codes, in a3, whose factors are at off(R11),
// and sets a bit of r for each that reaches the threshold. The steps round as in scanGo.
#define WIDE_ESTIMATE(a0, a1, a2, a3, b0, b1, b2, b3, off, r) \
	VPMOVZXWD off(R11), Z24; \
	VPERMT2D b0, Z28, a0; \
	VPERMT2D b1, Z28, a1; \
	VPERMT2D b2, Z28, a2; \
	VPERMT2D b3, Z28, a3; \
	VPSLLD $16, Z24, Z24; \
	VPSLLD $1, a3, a3; \
	VPADDD a2, a3, a3; \
	VPSLLD $1, a3, a3; \
	VPADDD a1, a3, a3; \
	VPSLLD $1, a3, a3; \
	VPADDD a0, a3, a3; \
	VCVTDQ2PS a3, a3; \
	VMULPS Z16, a3, a3; \
	VADDPS Z17, a3, a3; \
	VMULPS Z24, a3, a3; \
	VADDPS Z18, a3, a3; \
	VCMPPS $0x1D, Z19, a3, K1; \
	KMOVW K1, r

// func scanAVX512(a *scanArgs)
//
// Four groups are scanned at a time. The words of a group lie side by side, so that one register holds one word of each of its eight codes:
// each of the four bits of the query is compared with all of them, and the bits that agree are counted (VPOPCNTDQ). Estimates are written
// whether they are reported or not: what depends on them is a branch that nobody can predict.
TEXT ·scanAVX512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), AX
	MOVQ scanArgs_codes(AX), R8
	MOVQ scanArgs_units(AX), R10
	MOVQ scanArgs_scale(AX), R11
	MOVQ scanArgs_live(AX), R13
	MOVQ scanArgs_mask(AX), DI
	MOVQ scanArgs_est(AX), SI
	MOVQ (scanArgs_offset+8)(AX), BX
	MOVQ (scanArgs_offset+16)(AX), R14
	MOVQ (scanArgs_offset+24)(AX), CX
	VBROADCASTSS (scanArgs_estimate+estimate_mul)(AX), Z16
	VBROADCASTSS (scanArgs_estimate+estimate_add)(AX), Z17
	VBROADCASTSS (scanArgs_estimate+estimate_base)(AX), Z18
	VBROADCASTSS (scanArgs_estimate+estimate_threshold)(AX), Z19
	VMOVDQU64 evens<>(SB), Z28
wideUnit:
	CMPL (R13), $0
	JEQ wideNext           // nobody lives here
	MOVQ scanArgs_table(AX), DX
	MOVQ scanArgs_words(AX), R15
	AHEAD(R9)
	PREFETCHT0 256(R11)
	MOVQ R8, R12
	NEXT_WORD
	COUNT((R12), Z0, Z1, Z2, Z3)
	COUNT((R12)(BX*1), Z4, Z5, Z6, Z7)
	COUNT((R12)(R14*1), Z8, Z9, Z10, Z11)
	COUNT((R12)(CX*1), Z12, Z13, Z14, Z15)
	JMP wideCheck
wideWord:
	ADDQ $64, R12
	NEXT_WORD
	COUNT_ON((R12), Z0, Z1, Z2, Z3)
	COUNT_ON((R12)(BX*1), Z4, Z5, Z6, Z7)
	COUNT_ON((R12)(R14*1), Z8, Z9, Z10, Z11)
	COUNT_ON((R12)(CX*1), Z12, Z13, Z14, Z15)
wideCheck:
	DECQ R15
	JNZ wideWord
	WIDE_ESTIMATE(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, 0, DX)
	WIDE_ESTIMATE(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15, 32, R15)
	VMOVUPS Z3, (SI)
	VMOVUPS Z11, 64(SI)
	SHLL $16, R15
	ORL R15, DX
	ANDL (R13), DX
	MOVL DX, (DI)
wideNext:
	ADDQ scanArgs_unit(AX), R8
	ADDQ $64, R11
	ADDQ $128, SI
	ADDQ $4, R13
	ADDQ $4, DI
	DECQ R10
	JNZ wideUnit
	VZEROUPPER
	RET

DATA places<>+0(SB)/8, $0x0706050403020100
DATA places<>+8(SB)/8, $0x0f0e0d0c0b0a0908
DATA places<>+16(SB)/8, $0x1716151413121110
DATA places<>+24(SB)/8, $0x1f1e1d1c1b1a1918
DATA places<>+32(SB)/8, $0x2726252423222120
DATA places<>+40(SB)/8, $0x2f2e2d2c2b2a2928
DATA places<>+48(SB)/8, $0x3736353433323130
DATA places<>+56(SB)/8, $0x3f3e3d3c3b3a3938
GLOBL places<>(SB), RODATA|NOPTR, $64

// func listAVX512(slots *[MaxSlots]uint16, mask []uint64) int
//
// No branch depends on which bits are set: they are few, and at places that nobody can predict.
TEXT ·listAVX512(SB), NOSPLIT, $0-40
	MOVQ slots+0(FP), DI
	MOVQ mask_base+8(FP), SI
	MOVQ mask_len+16(FP), CX
	MOVQ DI, R8
	VMOVDQU8 places<>(SB), Z0
	VPXORQ Z5, Z5, Z5      // the first slot of a word
	MOVL $64, AX
	VPBROADCASTW AX, Z6
	JMP listNext
list:
	MOVQ (SI), BX
	KMOVQ BX, K1
	VPCOMPRESSB.Z Z0, K1, Z1
	VPMOVZXBW Y1, Z2
	VPADDW Z5, Z2, Z2
	VMOVDQU16 Z2, (DI)     // at least 32 fit, as the words before have no more than 64 each
	POPCNTQ BX, DX
	CMPQ DX, $32
	JLS listFew
	VEXTRACTI64X4 $1, Z1, Y1
	VPMOVZXBW Y1, Z2
	VPADDW Z5, Z2, Z2
	VMOVDQU16 Z2, 64(DI)
listFew:
	LEAQ (DI)(DX*2), DI
	VPADDW Z6, Z5, Z5
	ADDQ $8, SI
	DECQ CX
listNext:
	TESTQ CX, CX
	JNZ list
	SUBQ R8, DI
	SHRQ $1, DI
	MOVQ DI, ret+32(FP)
	VZEROUPPER
	RET

// func prefetchAVX2(p unsafe.Pointer, bytes int)
TEXT ·prefetchAVX2(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), SI
	MOVQ bytes+8(FP), CX
line:
	PREFETCHT0 (SI)
	ADDQ $64, SI
	SUBQ $64, CX
	JGT line
	RET

// func partitionAVX512(keys []uint64, pivot uint64, rest []uint64) int
//
// It moves the keys above pivot to the front and copies the others to rest, which has room for seven more.
TEXT ·partitionAVX512(SB), NOSPLIT, $0-64
	MOVQ keys_base+0(FP), SI
	MOVQ keys_len+8(FP), CX
	MOVQ rest_base+32(FP), DI
	VPBROADCASTQ pivot+24(FP), Z0
	MOVQ SI, R8            // where the next ones above go
	JMP part8next
part8:
	VMOVDQU64 (SI), Z1
	VPCMPUQ $6, Z0, Z1, K1 // above
	KNOTB K1, K2
	VPCOMPRESSQ.Z Z1, K1, Z2
	VPCOMPRESSQ.Z Z1, K2, Z3
	VMOVDQU64 Z2, (R8)     // these places have been read
	VMOVDQU64 Z3, (DI)
	KMOVB K1, AX
	POPCNTL AX, AX
	LEAQ (R8)(AX*8), R8
	NEGQ AX
	ADDQ $8, AX
	LEAQ (DI)(AX*8), DI
	ADDQ $64, SI
	SUBQ $8, CX
part8next:
	CMPQ CX, $8
	JGE part8
	MOVQ pivot+24(FP), R9
	JMP part1next
part1:
	MOVQ (SI), BX
	MOVQ BX, (R8)
	MOVQ BX, (DI)
	XORL AX, AX
	CMPQ R9, BX
	SETCS AX               // pivot below key
	LEAQ (R8)(AX*8), R8
	XORL $1, AX
	LEAQ (DI)(AX*8), DI
	ADDQ $8, SI
	DECQ CX
part1next:
	TESTQ CX, CX
	JNZ part1
	SUBQ keys_base+0(FP), R8
	SHRQ $3, R8
	MOVQ R8, ret+56(FP)
	VZEROUPPER
	RET

// Adds the numbers of the low 8 bytes of X, 8 less each and times Y6, to 8 numbers at off(DI); uses Y4.
#define ADD_EIGHT(X, off) \
	VPMOVZXBD X, Y4; \
	VPSUBD Y8, Y4, Y4; \
	VCVTDQ2PS Y4, Y4; \
	VMULPS Y6, Y4, Y4; \
	VADDPS off(DI), Y4, Y4; \
	VMOVUPS Y4, off(DI)

// func addNibblesAVX2(x *float32, codes *byte, scales []float32)
TEXT ·addNibblesAVX2(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), DI
	MOVQ codes+8(FP), SI
	MOVQ scales_base+16(FP), DX
	MOVQ scales_len+24(FP), CX
	MOVQ $0x0f0f0f0f0f0f0f0f, AX
	VMOVQ AX, X7
	VPBROADCASTQ X7, X7
	MOVL $8, AX
	VMOVD AX, X8
	VPBROADCASTD X8, Y8
nibbles:
	VMOVDQU (SI), X0
	VBROADCASTSS (DX), Y6
	VPSRLW $4, X0, X1
	VPAND X7, X0, X0
	VPAND X7, X1, X1
	VPUNPCKLBW X1, X0, X2
	VPUNPCKHBW X1, X0, X3
	VPSRLDQ $8, X2, X9
	VPSRLDQ $8, X3, X10
	ADD_EIGHT(X2, 0)
	ADD_EIGHT(X9, 32)
	ADD_EIGHT(X3, 64)
	ADD_EIGHT(X10, 96)
	ADDQ $16, SI
	ADDQ $4, DX
	ADDQ $128, DI
	DECQ CX
	JNZ nibbles
	VZEROUPPER
	RET
