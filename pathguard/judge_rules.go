package pathguard

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// commands applies the rules of the configuration to the parsed words.
func (j *judgement) commands() {
	for i := range j.script.Commands {
		c := &j.script.Commands[i]
		if c.Name == "" {
			continue
		}
		j.commandRules(i, c)
	}
}

func (j *judgement) commandRules(i int, c *shellparse.Command) {
	var best *CommandRule
	rules := j.p.commands[path.Base(c.Name)]
	for k := range rules {
		r := &rules[k]
		if !r.matches(c) {
			continue
		}
		if r.Verdict == Allow {
			j.answer(i, r)
		}
		if best == nil || r.Verdict < best.Verdict {
			best = r
		}
	}
	if best == nil {
		return
	}
	if best.Verdict != Allow {
		delete(j.allowed, i)
	}
	j.configured("rule.command", best.Verdict, best.Message, "", words(c), c.Span, i)
}

// answer notes that a rule allows a command. What cannot be undone is only allowed by a rule that
// names the option: the author of a rule for "git push" has not thought of --force.
func (j *judgement) answer(cmd int, r *CommandRule) {
	a := answer{most: 2, rules: r.Answers}
	if len(r.Flags) > 0 {
		a.most = 3
	}
	if j.allowed == nil {
		j.allowed = map[int][]answer{}
	}
	j.allowed[cmd] = append(j.allowed[cmd], a)
}

// matches holds a rule against a command. A word that the text does not tell could be
// anything: it is taken to match a rule that tightens, and never one that allows.
func (r *CommandRule) matches(c *shellparse.Command) bool {
	if strings.Contains(r.Program, "/") && r.Program != c.Name {
		return false
	}
	plain, options, unknown := operands(c)
	if unknown && r.Verdict == Allow {
		return false
	}
	if r.Exact {
		return r.exactly(c, plain, options) && !unknown
	}
	if len(plain) < len(r.Args) && !unknown {
		return false
	}
	for k, want := range r.Args {
		if k < len(plain) && plain[k] != want && !unknown {
			return false
		}
	}
	if len(r.Flags) == 0 {
		return true
	}
	return unknown || slices.ContainsFunc(r.Flags,
		func(flag string) bool { return hasOption(options, flag) })
}

// exactly reports whether a command is the one of an exact rule. What a variable, a wrapper or
// another machine makes of it is another command.
func (r *CommandRule) exactly(c *shellparse.Command, plain, options []string) bool {
	if c.Name != r.Program || c.Changed || c.Remote || len(c.Via) > 0 ||
		len(plain) != len(r.Args) || slices.ContainsFunc(options,
		func(o string) bool { return !slices.Contains(r.Options, o) }) {
		return false
	}
	for i, want := range r.Args {
		if plain[i] != want && (want != "*" || !plainName(plain[i])) {
			return false
		}
	}
	return true
}

// plainName reports whether a word is a name, or several with slashes between: no option, address,
// pattern or list, and nothing outside of the directory.
func plainName(word string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./"
	return strings.Trim(word, letters) == "" && plainFile(word) && word[0] != '-' && word[0] != '/'
}

// operands divides the arguments of a command into options and other words; unknown is set if the
// text does not tell one of them.
func operands(c *shellparse.Command) (plain, options []string, unknown bool) {
	for i, w := range c.Args {
		switch {
		case i == 0:
		case !w.Static:
			unknown = true
		case len(w.Text) > 1 && w.Text[0] == '-':
			options = append(options, w.Text)
		default:
			plain = append(plain, w.Text)
		}
	}
	return plain, options, unknown
}

// hasOption reports whether an option is among the words: --name, --name=value, a shortened --na,
// or a letter inside a bundle.
func hasOption(options []string, flag string) bool {
	for _, o := range options {
		name, _, _ := strings.Cut(o, "=")
		switch {
		case name == flag:
			return true
		case strings.HasPrefix(flag, "--"):
			if len(name) > 2 && strings.HasPrefix(flag, name) {
				return true
			}
		case len(flag) == 2 && !strings.HasPrefix(o, "--") &&
			strings.ContainsRune(o[1:], rune(flag[1])):
			return true
		}
	}
	return false
}

// programs judges the files that would be executed.
func (j *judgement) programs() {
	for i := range j.plan.Programs {
		p := &j.plan.Programs[i]
		if p.Real == "" {
			continue
		}
		span := j.script.Commands[p.Command].Span
		t := resolve.Target{Right: command.Exec, Name: p.Name, Effect: -1, Command: p.Command,
			Found: resolve.Found{Real: p.Real, Exists: p.Path != "", ID: p.ID, Mode: p.Mode,
				Links: p.Links}}
		j.target(&t)
		if p.Shadow != "" {
			j.add(Ask, "exec.shadow", p.Real, p.Shadow, span, p.Command)
		}
	}
}
