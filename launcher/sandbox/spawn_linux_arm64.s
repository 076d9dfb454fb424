#include "textflag.h"

// func spawn(flags, stack uintptr, f *family, who uintptr) (pid, errno uintptr)
//
// The child begins with nothing on its stack but the arguments of begin, above a slot for its return address, and does not return.
TEXT ·spawn(SB),NOSPLIT,$0-48
	MOVD	flags+0(FP), R0
	MOVD	stack+8(FP), R1
	MOVD	f+16(FP), R10
	MOVD	who+24(FP), R11
	SUB	$32, R1
	MOVD	R10, 8(R1)
	MOVD	R11, 16(R1)
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
	MOVD	R4, pid+32(FP)
	NEG	R0, R0
	MOVD	R0, errno+40(FP)
	RET
ok:
	MOVD	R0, pid+32(FP)
	MOVD	$0, R0
	MOVD	R0, errno+40(FP)
	RET
child:
	MOVD	$0, R29
	MOVD	$·begin(SB), R2	// by address: the linker takes it for a recursion otherwise
	BL	(R2)
	BRK
