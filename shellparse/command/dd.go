package command

import (
	"math"
	"strconv"
	"strings"
)

// hugeSize is more than an everyday command asks for with one option: 64 GiB.
const hugeSize = 64 << 30

// size is the length of a file to make: 100M, +1G, 4KiB.
func (m *matcher) size(_ role, vs []value) {
	for _, v := range vs {
		digits := strings.TrimLeft(v.Text, "+<>/%")
		unit := strings.TrimLeft(digits, "0123456789")
		n, err := strconv.ParseFloat(digits[:len(digits)-len(unit)], 64)
		if unit != "" {
			n *= math.Pow(1024, float64(strings.IndexByte(" KMGTPEZY", strings.ToUpper(unit)[0])))
		}
		if err == nil && n >= hugeSize {
			m.hazard("disk.fill", v.at)
		}
	}
}

// dd reads name=value operands.
func (m *matcher) dd(_ role, vs []value) {
	endless, ends := false, false
	defer func() {
		if endless && !ends {
			m.hazard("disk.fill", 0)
		}
	}()
	for _, v := range vs {
		switch {
		case strings.HasPrefix(v.Text, "if="):
			m.path(role{kind: "R"}, v.piece(3))
			endless = v.Text == "if=/dev/zero" || v.Text == "if=/dev/urandom" ||
				v.Text == "if=/dev/random"
		case strings.HasPrefix(v.Text, "count="):
			ends = true
		case strings.HasPrefix(v.Text, "of="):
			m.path(role{kind: "W"}, v.piece(3))
		case !v.Static && !strings.Contains(v.Text, "="):
			m.opaque(v, Write, "it could be of=FILE")
		}
	}
}
