package console

import (
	_ "embed"
	"encoding/json"
	"sync"
)

var (
	//go:embed assets/sheets.js
	sheetsScript string
	//go:embed assets/xterm/xterm.js
	xtermScript string
	//go:embed assets/xterm/xterm.css
	xtermStyle string
	//go:embed assets/screen.js
	screenScript string
	//go:embed assets/terminal.js
	terminalScript string
	//go:embed assets/replay.js
	replayScript string
)

// xtermPage is xterm.js, as the policy of a page lets it be, and the terminal made of it.
func xtermPage() string {
	return sheetsScript + "sheetOf(" + quoted(xtermStyle) + ");\n" + xtermScript + "\n" +
		screenScript
}

// The scripts of the pages that have a terminal. They are large, and made when a page needs them:
// every other verb would pay for them with its first garbage collection.
var (
	terminalPage = sync.OnceValue(func() string {
		return postScript + confirmScript + xtermPage() + terminalScript
	})
	replayPage = sync.OnceValue(func() string { return xtermPage() + replayScript })
)

// quoted is a text as a string of JavaScript.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a string does not fail
	return string(b)
}
