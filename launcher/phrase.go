package launcher

import (
	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
)

// Phrase returns the words that only this user's real prompts show, made when they are first
// needed. They stand in the state directory, which no fence reaches.
func (l *Launcher) Phrase() (string, error) {
	return approval.LoadPhrase(l.state.Phrase(), l.state.Random)
}

// Page returns a question as it is shown, under the phrase.
func (l *Launcher) Page(payload []byte, width int, full bool) (render.Page, error) {
	phrase, err := l.Phrase()
	return render.Render(payload, render.Options{Width: width, Full: full, Phrase: phrase}), err
}
