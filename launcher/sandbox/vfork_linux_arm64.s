#include "textflag.h"

// func vfork(flags uintptr) (pid, errno uintptr)
//
// The return address is in the link register all the time, where the child on the same stack cannot overwrite it.
TEXT ·vfork(SB),NOSPLIT,$0-24
	MOVD	flags+0(FP), R0
	MOVD	$0, R1
	MOVD	$0, R2
	MOVD	$0, R3
	MOVD	$0, R4
	MOVD	$0, R5
	MOVD	$220, R8	// clone
	SVC
	CMN	$4095, R0
	BCC	ok
	MOVD	$0, R4
	MOVD	R4, pid+8(FP)
	NEG	R0, R0
	MOVD	R0, errno+16(FP)
	RET
ok:
	MOVD	R0, pid+8(FP)
	MOVD	$0, R0
	MOVD	R0, errno+16(FP)
	RET
