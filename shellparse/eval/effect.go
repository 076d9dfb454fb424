package eval

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/command"
)

// looser are the patterns that together match what a loose one does: a component that starts
// with a wildcard may match a leading dot.
func (w *report) looser(text string) []string {
	if text == "" {
		return nil
	}
	parts := strings.Split(text, "/")
	var wild []int
	for i, p := range parts {
		if w.on.nocaseglob && strings.ContainsAny(p, "*?[") {
			parts[i] = caseless(p)
		}
		if p != "" && strings.IndexByte("*?[", p[0]) >= 0 {
			wild = append(wild, i)
		}
	}
	all := []string{strings.Join(parts, "/")}
	for choice := 1; choice < 1<<min(len(wild), maxLoose); choice++ {
		dotted := append([]string(nil), parts...)
		for k, i := range wild {
			if choice&(1<<min(k, maxLoose-1)) != 0 {
				dotted[i] = ".*"
			}
		}
		all = append(all, strings.Join(dotted, "/"))
	}
	return all
}

// belowOpen reports whether a name goes through a file that the command has open, such as
// /dev/fd/9/x: which one is not in the name.
func belowOpen(e Effect) bool {
	text := e.Name.Text
	if !e.Name.Static && !e.Name.Glob || !strings.HasPrefix(text, "/dev/fd/") &&
		!strings.HasPrefix(text, "/proc/") {
		return false
	}
	parts := strings.Split(strings.Trim(text, "/"), "/")
	at := len(parts) - 2
	for i, p := range parts {
		if p == "fd" {
			at = i
			break
		}
	}
	return e.Right != command.Net && at+2 < len(parts)
}

// effect adds an effect, once.
func (w *report) effect(s *state, e Effect) {
	if s.remote {
		w.elsewhere(e)
		return
	}
	if s.guess {
		e.Flags |= command.Possible
	}
	for _, text := range w.looser(e.Name.loose) {
		one := e
		one.Name = Name{Text: text, Glob: true, Dir: e.Name.Dir}
		if strings.HasPrefix(text, "/") {
			one.Name.Dir = ""
		}
		w.effect(s, one)
	}
	e.Name.loose = ""
	w.unsureDir(s, e)
	if belowOpen(e) {
		w.opaque(s, placeOf(e.Right), "it is below a file that is open", e.Span)
	}
	e.Command = w.cmd
	if w.listedEffect(e) {
		return
	}
	if len(w.out.Effects) >= MaxEffects {
		w.over(s, "more effects than are listed")
		return
	}
	w.out.Effects = append(w.out.Effects, e)
}

// unsureDir marks a relative name as uncertain where a file that was executed in this shell may
// have changed the directory. To start a program or to read is no more than the file could do
// itself; a deletion in the wrong directory is hardly meant.
func (w *report) unsureDir(s *state, e Effect) {
	if s.movedBy == "" || e.Net != nil || e.Name.Dir == "" || strings.HasPrefix(e.Name.Text, "/") ||
		e.Name.User != "" {
		return
	}
	place := placeOf(e.Right)
	if e.Right == command.Exec {
		place = InRead
	}
	w.opaque(s, place, "the directory is not certain: "+s.movedBy+" may have changed it", e.Span)
}

// elsewhere keeps of an effect on another machine what a reader must know.
func (w *report) elsewhere(e Effect) {
	if e.Right == command.Read && e.Name.Static && catalog.SecretFile(e.Name.Text) &&
		!strings.HasPrefix(e.Name.Text, "/etc/") { // a container's accounts are no one's
		w.listedHazard("secret.print", e.Span)
	}
	if e.Right == command.Delete {
		w.hazard(Hazard{Rule: "remote.delete", Risk: 2,
			Message: "deletes files on another machine or in a container", Span: e.Span})
	}
}
