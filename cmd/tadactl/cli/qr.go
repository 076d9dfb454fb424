package cli

import (
	"strings"

	"rsc.io/qr"
)

const (
	qrQuiet = 2  // light modules around the code; phones need no more
	qrWidth = 80 // columns of a terminal
)

// qrLines returns the lines of a QR code with two modules in each character, dark on light whatever
// the colours of the terminal are. It returns none if the code does not fit the terminal.
func qrLines(text string) ([]string, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil, err
	}
	if code.Size+2*qrQuiet > qrWidth {
		return nil, nil
	}
	var lines []string
	for y := -qrQuiet; y < code.Size+qrQuiet; y += 2 {
		var b strings.Builder
		b.WriteString("\x1b[30;107m") // black on bright white
		for x := -qrQuiet; x < code.Size+qrQuiet; x++ {
			switch above, below := code.Black(x, y), code.Black(x, y+1); {
			case above && below:
				b.WriteRune('█')
			case above:
				b.WriteRune('▀')
			case below:
				b.WriteRune('▄')
			default:
				b.WriteByte(' ')
			}
		}
		b.WriteString("\x1b[m")
		lines = append(lines, b.String())
	}
	return lines, nil
}
