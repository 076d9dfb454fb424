package export

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed" // the player
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
)

var (
	//go:embed player/asciinema-player.min.js
	playerScript string
	//go:embed player/asciinema-player.css
	playerStyle string
	//go:embed player/LICENSE
	playerLicense string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
	//go:embed head.html
	pageHead string // with placeholders
	//go:embed facts_end.html
	pageFactsEnd string
)

// A Verdict is what is known of a session's proof. The zero value means that nothing is known.
type Verdict int

// The verdicts.
const (
	Unknown Verdict = iota // it was not verified, or the log does not name it
	Proven                 // it is unchanged
	Refuted                // it is not
)

var verdicts = map[Verdict]struct{ class, word string }{
	Unknown: {"unknown", "Not verified"},
	Proven:  {"proven", "Verified"},
	Refuted: {"refuted", "NOT AS IT WAS WRITTEN"},
}

// A Page is what the page shows besides the session.
type Page struct {
	Title   string // name of the session
	Verdict Verdict
	Reason  string      // of the verdict, in a sentence
	Facts   []Fact      // in the order in which they are shown
	Marks   []play.Mark // beside those that the transcript has itself
}

// A Fact is a name and its value.
type Fact struct{ Name, Value string }

// HTML writes one page that contains everything: the session up to the first event that does not
// verify, the player, and the facts. After ErrTooLarge what was written is useless.
func HTML(w io.Writer, r io.Reader, p Page) error {
	out := bufio.NewWriterSize(w, 64<<10)
	writeHead(out, p)
	data := &inert{w: out, left: MaxHTML}
	fmt.Fprint(out, `<script type="text/plain" id="cast">`)
	err := cast(data, r, caster{ordered: true, authors: true, marks: inOrder(p.Marks)})
	fmt.Fprint(out, "</script>\n")
	if errors.Is(err, ErrTooLarge) {
		return fmt.Errorf("%w: more than %d MiB; try: --format cast", err, MaxHTML>>20)
	}
	if bad, ok := errors.AsType[*audit.BadEntry](err); ok {
		fmt.Fprintf(out, "<p class=\"refuted stop\">The session is shown up to here: %s</p>\n",
			text(bad.Error()))
	}
	writeFoot(out)
	return errors.Join(err, out.Flush())
}

// Policy is the Content-Security-Policy of the page: what is in it and nothing else. The player is
// WebAssembly inside its script, and the script sets styles of elements.
func Policy() string {
	hashes := func(texts ...string) string {
		var b strings.Builder
		for _, t := range texts {
			sum := sha256.Sum256([]byte(t))
			fmt.Fprintf(&b, " 'sha256-%s'", base64.StdEncoding.EncodeToString(sum[:]))
		}
		return b.String()
	}
	return "default-src 'none'; script-src" + hashes(playerScript,
		pageScript) + " 'wasm-unsafe-eval'; style-src" +
		hashes(playerStyle, pageStyle) + "; base-uri 'none'; form-action 'none'"
}

// writeHead and writeFoot leave errors to the buffer's Flush.
func writeHead(out *bufio.Writer, p Page) {
	v := verdicts[p.Verdict]
	fmt.Fprintf(out, pageHead, Policy(), text(p.Title), playerStyle, pageStyle, text(p.Title),
		v.class, v.word, text(p.Reason))
	for _, f := range p.Facts {
		fmt.Fprintf(out, "<dt>%s</dt><dd>%s</dd>\n", text(f.Name), text(f.Value))
	}
	out.WriteString(pageFactsEnd)
}

// inOrder sorts marks by their time. They become part of the session: marks that are passed to the
// player separately would keep the times from before it shortened the pauses.
func inOrder(marks []play.Mark) []play.Mark {
	return slices.SortedStableFunc(slices.Values(marks),
		func(a, b play.Mark) int { return cmp.Compare(a.At, b.At) })
}

func writeFoot(out *bufio.Writer) {
	fmt.Fprintf(out,
		"<details><summary>Licence of the player (asciinema-player 3.17.0)</summary><pre>%s</pre></details>\n", text(playerLicense))
	fmt.Fprintf(out, "<script>%s</script>\n<script>%s</script>\n</body>\n</html>\n", playerScript,
		pageScript)
}
