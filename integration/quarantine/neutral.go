package quarantine

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tada-run/tada-run/approval/render"
)

// Neutral returns text that an untrusted agent wrote in a form that no terminal, Markdown viewer,
// browser or chat template acts on, on one line and at most limit bytes long. Nothing is removed
// silently: what is changed stays readable, and what is cut is counted.
//
// It does not judge what the text says. An instruction in it is still an instruction; a caller that
// shows it must mark it as a quotation.
func Neutral(text string, limit int) string {
	text, _ = neutral(text, limit)
	return text
}

// neutral also counts the changes.
func neutral(text string, limit int) (string, int) {
	changes := 0
	if len(text) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = fmt.Sprintf("%s [%d bytes cut]", text[:cut], len(text)-cut)
		changes++
	}
	// control, direction, invisible and blank characters, and bytes that are not text
	inert := render.Inert(text)
	if inert != text {
		changes++
	}
	for _, r := range replaced {
		if n := strings.Count(inert, r.old); n > 0 {
			inert = strings.ReplaceAll(inert, r.old, r.new)
			changes += n
		}
	}
	return inert, changes
}

// replaced is what plain ASCII can do: links that viewers make clickable or load by themselves,
// which would send away the data in their address; tags; code fences, which end a quotation; and
// the brackets of chat templates.
var replaced = []struct{ old, new string }{
	{"://", "[:]//"},
	{"www.", "www[.]"}, {"WWW.", "WWW[.]"},
	{"javascript:", "javascript[:]"}, {"data:", "data[:]"}, {"mailto:", "mailto[:]"},
	{"vbscript:", "vbscript[:]"},
	{"](", "] ("}, {"]:", "] :"}, {"![", "! ["},
	{"`", "'"}, {"~~~", "~ ~ ~"},
	{"<", "‹"}, {">", "›"},
	{"&#", "& #"},
	{"[INST]", "[ INST ]"}, {"[/INST]", "[ /INST ]"},
}
