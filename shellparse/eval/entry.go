package eval

import "github.com/tada-run/tada-run/shellparse/command"

// spec is command.Lookup, which searches text, once for each name.
func (w *commands) spec(name string) (*command.Spec, bool) {
	for _, e := range w.specs {
		if e.name == name {
			return e.spec, e.spec != nil
		}
	}
	spec, ok := w.o.Programs.Lookup(name)
	if !ok {
		spec = nil
	}
	if len(w.specs) < maxEntries {
		w.specs = append(w.specs, entry{name, spec})
	}
	return spec, ok
}

// maxEntries bounds how many entries are kept for one text: few texts call more programs.
const maxEntries = 32
