#include "textflag.h"

// func spawn(flags, stack, code uintptr, f *setup, who uintptr) (pid, errno uintptr)
//
// The child calls code as Go calls it, with the arguments in registers and room for them on the stack, and does not return.
TEXT ·spawn(SB),NOSPLIT,$0-56
	MOVD	flags+0(FP), R0
	MOVD	stack+8(FP), R1
	MOVD	code+16(FP), R9
	MOVD	f+24(FP), R10
	MOVD	who+32(FP), R11
	SUB	$32, R1
	MOVD	$0, R2
	MOVD	$0, R3
	MOVD	$0, R4
	MOVD	$0, R5
	MOVD	$220, R8	// clone
	SVC
	CBZ	R0, child
	CMN	$4095, R0
	BCC	ok
	MOVD	$0, R4
	MOVD	R4, pid+40(FP)
	NEG	R0, R0
	MOVD	R0, errno+48(FP)
	RET
ok:
	MOVD	R0, pid+40(FP)
	MOVD	$0, R0
	MOVD	R0, errno+48(FP)
	RET
child:
	MOVD	$0, R29
	MOVD	R10, R0
	MOVD	R11, R1
	BL	(R9)
	BRK
