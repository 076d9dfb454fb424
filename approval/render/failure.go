package render

import (
	_ "embed"
	"strings"
)

// The languages of [Failure].
const (
	English = "en"
	Chinese = "zh"
)

// failures has for each code one line with the code, then one line for each language.
//
//go:embed failures.txt
var failures string

// Failure returns what went wrong with an approval and how to fix it: the text for a code, about a
// question; "" for an unknown code. The texts never say how to loosen anything.
func Failure(code, language, id string) string {
	_, rest, _ := strings.Cut(failures, "\n"+code+"\n")
	for line := range strings.Lines(rest) {
		text, own := strings.CutPrefix(line, language+" ")
		switch {
		case own:
			return naming(strings.TrimSuffix(text, "\n"), id)
		case len(line) < 3 || line[2] != ' ':
			return "" // the next code
		}
	}
	return ""
}

// naming puts the id of the question into the command that a message ends with.
func naming(message, id string) string {
	before, hinted := strings.CutSuffix(message, " ID")
	if !hinted || id == "" || strings.Trim(id, idLetters) != "" {
		return message
	}
	return before + " " + id
}

// idLetters are the characters of ids: neither a shell nor a terminal interprets them.
const idLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"
