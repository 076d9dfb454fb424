package approval

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/approval/render"
)

// A phrase is two words that only this user's real prompts show, and that no sandbox lets an agent
// read. A page without them, or with others, was not drawn by tada-run. The phrase is for the eye
// and unlocks nothing, so two words are enough: one guess in 4,096 is right, and a wrong one is
// seen.

// phraseText has 64 words of one kind, then 64 of another.
//
//go:embed phrases.txt
var phraseText string

// newPhrase picks a phrase.
func newPhrase(random io.Reader) (string, error) {
	var b [2]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("approval: reading randomness: %w", err)
	}
	words := strings.Fields(phraseText)
	return words[b[0]%64] + " " + words[64+b[1]%64], nil // 64 divides 256: no word is likelier
}

// LoadPhrase reads the phrase at path, which must belong to this user alone, or makes one if there
// is none.
func LoadPhrase(path string, random io.Reader) (string, error) {
	text, err := private.Read(path, render.MaxPhrase+1)
	if errors.Is(err, fs.ErrNotExist) {
		phrase, err := newPhrase(random)
		if err == nil {
			err = private.Create(path, []byte(phrase+"\n"))
		}
		if !errors.Is(err, fs.ErrExist) { // else another process was faster
			return phrase, err
		}
		text, err = private.Read(path, render.MaxPhrase+1)
		if err != nil {
			return "", err
		}
	} else if err != nil {
		return "", err
	}
	phrase := strings.TrimSuffix(string(text), "\n")
	if phrase == "" || !render.IsPhrase(phrase) {
		return "", &FileError{Path: path, Err: ErrMalformed,
			Hint: "it must be a few plain words; delete it to get new ones"}
	}
	return phrase, nil
}
