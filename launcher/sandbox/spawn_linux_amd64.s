#include "textflag.h"

// func spawn(flags, stack, code uintptr, f *setup, who uintptr) (pid, errno uintptr)
//
// The child calls code as Go calls it, with the arguments in registers and room for them on the stack, and does not return.
TEXT ·spawn(SB),NOSPLIT,$0-56
	MOVQ	flags+0(FP), DI
	MOVQ	stack+8(FP), SI
	MOVQ	code+16(FP), BX
	MOVQ	f+24(FP), R12
	MOVQ	who+32(FP), R13
	SUBQ	$16, SI
	MOVQ	$0, DX
	MOVQ	$0, R10
	MOVQ	$0, R8
	MOVQ	$0, R9
	MOVQ	$56, AX	// clone
	SYSCALL
	CMPQ	AX, $0
	JEQ	child
	CMPQ	AX, $0xfffffffffffff001
	JLS	ok
	MOVQ	$0, pid+40(FP)
	NEGQ	AX
	MOVQ	AX, errno+48(FP)
	RET
ok:
	MOVQ	AX, pid+40(FP)
	MOVQ	$0, errno+48(FP)
	RET
child:
	MOVQ	$0, BP
	XORPS	X15, X15	// which Go takes zeroes from
	MOVQ	BX, CX
	MOVQ	R12, AX
	MOVQ	R13, BX
	CALL	CX
	INT	$3
