package eval

import "strings"

// A name can be made to run another program: by a copy of rm that is called ls, a link in a
// directory of PATH, or the tables in which bash keeps hashed programs and aliases.

// standIns evaluates a program once more for each other program that the script itself has
// put under its name.
func (w *commands) standIns(s *state, c *call) {
	if len(s.files) == 0 {
		return
	}
	name := c.words[0].Text
	places := []value{c.args[0]}
	if !strings.Contains(name, "/") {
		path, ok := s.env.get("PATH")
		if !ok {
			return // that of the caller, where the script has put nothing
		}
		places = nil
		for dir := range strings.SplitSeq(path.val.prefix(), ":") {
			places = append(places, known(dir+"/"+name))
		}
	}
	for _, v := range places {
		program := w.copied(s, v)
		if program == "" || base(program) == base(name) {
			continue
		}
		if spec, ok := w.spec(base(program)); ok {
			w.use(s.fork(), c, spec.Match(c.argv), base(program))
		}
	}
}

// dispatches reports whether a name is one of the tables that bash finds programs by.
func dispatches(name string) bool { return name == "BASH_CMDS" || name == "BASH_ALIASES" }
