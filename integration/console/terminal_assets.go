package console

import (
	_ "embed"
	"encoding/json"
)

var (
	//go:embed assets/sheets.js
	sheetsScript string
	//go:embed assets/xterm/xterm.js
	xtermScript string
	//go:embed assets/xterm/xterm.css
	xtermStyle string
	//go:embed assets/terminal.js
	terminalScript string
)

// terminalPage is the script of the page of a terminal.
var terminalPage = postScript + confirmScript + sheetsScript + "sheetOf(" + quoted(xtermStyle) +
	");\n" + xtermScript + "\n" + terminalScript

// quoted is a text as a string of JavaScript.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a string does not fail
	return string(b)
}
