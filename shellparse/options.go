package shellparse

import (
	"slices"
	"strings"
)

// The options of the shell that change what later text means. A name that stands in none of
// these lists changes something that is not followed.

// quietShopt are names of shopt that change nothing this package tells, on or off.
const quietShopt = " array_expand_once assoc_expand_once bash_source_fullpath checkhash checkjobs checkwinsize complete_fullquote direxpand dirspell" +
	" cdspell execfail force_fignore globstar gnu_errfmt histappend histreedit histverify hostcomplete huponexit interactive_comments login_shell mailwarn" +
	" no_empty_cmd_completion noexpand_translation progcomp restricted_shell shift_verbose sourcepath syslog_history varredir_close "

// quietSet are the same for set -o.
const quietSet = " emacs errtrace functrace hashall ignoreeof interactive-comments monitor noclobber noexec nolog notify onecmd pipefail privileged" +
	" restricted verbose vi xtrace "

// quietLetters are the same for the letters of set, and quietZsh for those of zsh, where most
// letters are other options.
const (
	quietLetters = "bhmnprtvxCET"
	quietZsh     = "fmnvxC"
)

func listedIn(list, name string) bool { return name != "" && strings.Contains(list, " "+name+" ") }

// changing says that an option turns on what is not followed.
func (w *walker) changing(s *state, what string, span Span) {
	w.opaque(s, InCode, "what "+what+" changes is not followed", span)
}

// anyOption is what unknown text or an option whose name is not known leaves behind: patterns
// may match in another way or nothing, and aliases may be expanded.
func (w *walker) anyOption(s *state) {
	w.dropping, w.extglob, w.nocase, w.anycase, w.posix = true, true, true, true, true
	s.dotglob, s.alias, s.nounset = true, true, true
	s.noglob, s.errexit = false, false
	w.touched(s)
}

// shoptName turns one option of shopt on or off.
func (w *walker) shoptName(s *state, name string, on bool, span Span) {
	switch name {
	case "expand_aliases":
		s.alias = on
	case "promptvars", "cmdhist", "lithist": // prompts run code only with the first; a new shell has none, and Gemini CLI begins with it
		if w.o.Later && !on {
			w.hazard(Hazard{Rule: "shell.history", Risk: 2, Message: "changes what the shell records of its lines", Span: span})
		}
	case "extglob":
		w.extglob = w.extglob || on
	case "inherit_errexit":
		s.inherit = on
	case "nullglob":
		w.dropping = w.dropping || on
	case "nocasematch":
		w.nocase = w.nocase || on
	case "dotglob", "nocaseglob":
		s.dotglob = s.dotglob || on
		w.anycase = w.anycase || on && name == "nocaseglob"
	case "globskipdots", "globasciiranges":
		s.dotglob = s.dotglob || !on
	case "patsub_replacement": // an ampersand is open anyway
	default:
		if !listedIn(quietShopt, name) && (on || name == "extquote") {
			w.changing(s, "shopt "+name, span)
		}
	}
}

// dialectOf is that of a program whose options are not those of bash.
func dialectOf(program string) Dialect {
	if program == "zsh" {
		return Zsh
	}
	return Bash
}

// shellOptions are those that a new shell is started with, which the table of commands does
// not tell: bash -O dotglob -c CODE.
func (w *walker) shellOptions(s *state, c *call, dialect Dialect) {
	for i := 1; i < len(c.words); i++ {
		text := c.words[i].Text
		if !c.words[i].Static || len(text) < 2 || text[0] != '-' && text[0] != '+' || text == "--" {
			return
		}
		if text == "--posix" {
			w.posix = true
			w.changing(s, "posix mode", c.at(i))
		}
		if strings.HasPrefix(text, "--") {
			if text == "--rcfile" || text == "--init-file" {
				i++
			}
			continue
		}
		for _, letter := range text[1:] {
			if letter == 'o' || letter == 'O' {
				if i++; i < len(c.words) {
					w.shellOption(s, letter, c.words[i], text[0] == '-', c.at(i))
				}
				continue
			}
			w.shellLetter(s, letter, text[0] == '-', dialect, c.at(i))
		}
	}
}

func (w *walker) shellOption(s *state, letter rune, name Word, on bool, span Span) {
	switch {
	case !name.Static:
		w.opaque(s, InCode, "which option the shell is started with is not known", span)
	case letter == 'O':
		w.shoptName(s, name.Text, on, span)
	case on && name.Text == "posix":
		w.posix = true
		w.changing(s, "posix mode", span)
	case on && name.Text != "errexit" && name.Text != "nounset" && !listedIn(quietSet, name.Text):
		w.changing(s, "the option "+name.Text, span)
	case !on && optionLetter(name.Text) == 'B':
		w.changing(s, "the option "+name.Text, span)
	}
}

func (w *walker) shellLetter(s *state, letter rune, on bool, dialect Dialect, span Span) {
	quiet := quietLetters + "ceuilsqD"
	if dialect == Zsh {
		quiet = quietZsh + "ceuils"
	}
	if on && !strings.ContainsRune(quiet+"B", letter) || !on && letter == 'B' {
		w.changing(s, "the option "+string(letter), span)
	}
}

// optionVariable is a name through which a value changes the options of a shell that starts
// later, and POSIXLY_CORRECT those of the one that runs.
func (w *walker) optionVariable(s *state, name string, v variable) {
	if !v.set || name != "POSIXLY_CORRECT" && name != "BASHOPTS" && name != "SHELLOPTS" {
		return
	}
	w.posix = true
	w.changing(s, name, w.here())
}

// maxLeftOut is of how many patterns each choice is looked at that nullglob may leave out; of
// more, only those that leave out the first ones.
const maxLeftOut = 3

// unmatched are the runs of a command in which patterns of it match nothing and nullglob
// leaves them out, so that what stands behind them takes their place.
func (w *walker) unmatched(s *state, c *call) (ws worlds) {
	var globs []int
	for i, word := range c.words {
		if w.dropping && word.Glob {
			globs = append(globs, i)
		}
	}
	for _, out := range choices(globs) {
		d := c.keeping(func(i int) bool { return !slices.Contains(out, i) })
		if len(d.args) > 0 {
			ws = append(ws, w.invoke(w.fork(s), d)...)
		}
	}
	return ws
}

// choices are the sets of patterns that may be left out together.
func choices(globs []int) (sets [][]int) {
	if n := len(globs); n > maxLeftOut {
		for i := 1; i < min(n, maxWorlds); i++ {
			sets = append(sets, globs[:i])
		}
		return append(sets, globs)
	}
	for mask := 1; mask < 1<<len(globs); mask++ {
		var set []int
		for i, g := range globs {
			if mask&(1<<i) != 0 {
				set = append(set, g)
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// keeping is c with some of its words.
func (c *call) keeping(keep func(int) bool) *call {
	d := *c
	d.args, d.words, d.argv, d.spans = nil, nil, nil, nil
	for i := range c.args {
		if keep(i) {
			d.args, d.words, d.argv, d.spans = append(d.args, c.args[i]), append(d.words, c.words[i]), append(d.argv, c.argv[i]), append(d.spans, c.at(i))
		}
	}
	return &d
}
