package permit

import (
	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
)

// Phrase returns the words that only this user's real prompts show, made when they are first
// needed. They are in the state directory, which no sandbox reaches.
func (p *Approvals) Phrase() (string, error) {
	return approval.LoadPhrase(p.dir.Phrase(), p.dir.Random)
}

// Page returns a question as it is shown, under the phrase.
func (p *Approvals) Page(payload []byte, o render.Options) (render.Page, error) {
	var err error
	o.Phrase, err = p.Phrase()
	return render.Render(payload, o), err
}
