package cli

import (
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/replay"
)

// inert quotes what could move the cursor or be taken for another field. On a UTF-8 terminal,
// letters are shown as themselves, unless a word mixes alphabets.
func inert(s string) string { return render.Quote(s, notice.UTF8()) }

// brief returns a command as a list shows it.
func brief(s string) string { return replay.OneLine(s, notice.UTF8()) }
