package quarantine

import (
	_ "embed"
	"strconv"
	"strings"
	"time"
)

//go:embed quarantine_prompt.txt
var quarantinePrompt string

// A PromptConfig is what the prompt of a quarantined agent says about its session.
type PromptConfig struct {
	SessionID string
	TTL       time.Duration
	Timeout   time.Duration
}

// BuildQuarantinePrompt returns the system prompt of a quarantined agent: what it may do, for how
// long, and the format of its answer. The prompt only helps the agent; the limits are enforced
// elsewhere.
func BuildQuarantinePrompt(c PromptConfig) string {
	return strings.NewReplacer(
		"{{ALLOWED_TOOLS}}", strings.Join(AllowedTools(), ", "),
		"{{TTL}}", seconds(c.TTL),
		"{{TIMEOUT_SECONDS}}", seconds(c.Timeout),
		"{{SESSION_ID}}", c.SessionID,
	).Replace(quarantinePrompt)
}

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

// BuildUserContentPrompt returns the user prompt of a quarantined agent: references, one per line,
// and no byte of any file. File names are percent-encoded, so that no name can be read as an
// instruction.
func BuildUserContentPrompt(references []Reference) string {
	var b strings.Builder
	b.WriteString("Review the files that these references name; call Read for each, with the " +
		"whole line as file_path:\n\n")
	for _, r := range references {
		b.WriteString(r.URI())
		b.WriteByte('\n')
	}
	return b.String()
}

// Prompt returns the system prompt of the session's agents.
func (s *Session) Prompt() string {
	return BuildQuarantinePrompt(PromptConfig{SessionID: s.ID, TTL: s.o.TTL, Timeout: s.o.Timeout})
}
