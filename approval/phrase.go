package approval

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/approval/render"
)

// A phrase is two words that only this user's real prompts show, and that no fence lets an agent
// read. A page without them, or with others, was drawn by somebody else. It is for the eye and
// opens nothing, so two words are enough: one guess in 4,096 fits, and a wrong one is seen.

var phraseWords = [2][]string{
	strings.Fields(`amber azure brave brisk broad bronze calm cedar clear cobalt coral crisp dawn deep dry dusty
		early easy ember even fair fern firm fleet frost fresh gentle glad golden grand green hazel
		humble indigo ivory jade keen kind late light lively loud maple mild misty noble north olive
		pale plain proud quiet rapid red ripe rosy round rusty sage shy silver slow soft warm`),
	strings.Fields(`badger beacon bell birch bridge brook candle canyon castle cloud comet crane creek daisy delta dune
		eagle falcon field finch flute forest fox garden glacier harbor heron hill island jay kettle kite
		lake lantern lark ledge lily lynx meadow mill moon mortar needle oak orchard otter owl pebble
		pine quarry quilt raven reef river robin saddle shore sparrow spruce thistle tower valley willow wren`),
}

// newPhrase picks a phrase.
func newPhrase(random io.Reader) (string, error) {
	var b [2]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("approval: reading randomness: %w", err)
	}
	// Both lists have 64 words, so a byte picks one without bias.
	return phraseWords[0][b[0]%64] + " " + phraseWords[1][b[1]%64], nil
}

// LoadPhrase reads the phrase at path, which must be this user's alone, or makes one when there is
// none.
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
