#include "textflag.h"

// func spawn(flags, stack uintptr, f *family, who uintptr) (pid, errno uintptr)
//
// The child begins with nothing on its stack but the arguments of begin, and does not return.
TEXT ·spawn(SB),NOSPLIT,$0-48
	MOVQ	flags+0(FP), DI
	MOVQ	stack+8(FP), SI
	MOVQ	f+16(FP), R12
	MOVQ	who+24(FP), R13
	SUBQ	$16, SI
	MOVQ	R12, 0(SI)
	MOVQ	R13, 8(SI)
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
	MOVQ	$0, pid+32(FP)
	NEGQ	AX
	MOVQ	AX, errno+40(FP)
	RET
ok:
	MOVQ	AX, pid+32(FP)
	MOVQ	$0, errno+40(FP)
	RET
child:
	MOVQ	$0, BP
	MOVQ	$·begin(SB), AX	// by address: the linker takes it for a recursion otherwise
	CALL	AX
	INT	$3
