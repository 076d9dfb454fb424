package eval

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// integer reads a number as bash does: 0x1f, 017, 36#zz.
func integer(text string) (int64, bool) {
	neg := strings.HasPrefix(text, "-")
	digits := strings.TrimPrefix(strings.TrimPrefix(text, "-"), "+")
	base := 10
	if b, rest, ok := strings.Cut(digits, "#"); ok {
		n, err := strconv.Atoi(b)
		if err != nil || n < 2 || n > 36 {
			return 0, false
		}
		base, digits = n, rest
	} else if len(digits) > 1 && digits[0] == '0' {
		base, digits = 8, digits[1:]
		if digits[0]|0x20 == 'x' {
			base, digits = 16, digits[1:]
		}
	}
	if digits == "" || digits[0] == '-' || digits[0] == '+' || strings.ContainsRune(digits, '_') {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if err != nil {
		return 0, false
	}
	if neg {
		n = -n
	}
	return n, true
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// assigning returns the operator inside an assigning one.
func assigning(op syntax.BinAritOperator) syntax.BinAritOperator {
	switch op {
	case syntax.AddAssgn:
		return syntax.Add
	case syntax.SubAssgn:
		return syntax.Sub
	case syntax.MulAssgn:
		return syntax.Mul
	case syntax.QuoAssgn:
		return syntax.Quo
	case syntax.RemAssgn:
		return syntax.Rem
	case syntax.AndAssgn:
		return syntax.And
	case syntax.OrAssgn:
		return syntax.Or
	case syntax.XorAssgn:
		return syntax.Xor
	case syntax.ShlAssgn:
		return syntax.Shl
	}
	return syntax.Shr
}

func compute(op syntax.BinAritOperator, a, b int64) (int64, bool) {
	switch op {
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Quo, syntax.Rem:
		if b == 0 || b == -1 {
			return -a, b == -1 && op == syntax.Quo
		}
		if op == syntax.Quo {
			return a / b, true
		}
		return a % b, true
	case syntax.Shl, syntax.Shr:
		if b < 0 || b > 63 {
			return 0, false
		}
		if op == syntax.Shl {
			return a << uint(b), true
		}
		return a >> uint(b), true
	case syntax.Pow:
		return power(a, b)
	case syntax.Comma:
		return b, true
	}
	return compare(op, a, b)
}

func power(a, b int64) (int64, bool) {
	if b < 0 || b > 63 {
		return 0, false
	}
	n := int64(1)
	for range b {
		n *= a
	}
	return n, true
}

func compare(op syntax.BinAritOperator, a, b int64) (int64, bool) {
	switch op {
	case syntax.Eql:
		return truth(a == b), true
	case syntax.Neq:
		return truth(a != b), true
	case syntax.Gtr:
		return truth(a > b), true
	case syntax.Lss:
		return truth(a < b), true
	case syntax.Geq:
		return truth(a >= b), true
	case syntax.Leq:
		return truth(a <= b), true
	case syntax.And:
		return a & b, true
	case syntax.Or:
		return a | b, true
	case syntax.Xor:
		return a ^ b, true
	case syntax.AndArit:
		return truth(a != 0 && b != 0), true
	case syntax.OrArit:
		return truth(a != 0 || b != 0), true
	}
	return 0, false
}

func decimal(text string) bool {
	return text != "" && len(text) < 10 && text[0] != '0' && strings.Trim(text, "0123456789") == ""
}
