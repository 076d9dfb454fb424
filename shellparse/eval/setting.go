package eval

import "strings"

func (w *environment) setLetter(s *state, letter rune, on bool, span Span) {
	zsh := w.o.Dialect == Zsh
	switch letter {
	case 'f':
		w.on.noglob = w.on.noglob || on
		s.noglob = on && !zsh // where the letter means NO_RCS
	case 'e':
		s.errexit = on
	case 'u':
		s.nounset = on
	case 'a':
		s.allexport = on
	case 'B':
		if !on {
			w.changing(s, "set +B", span)
		}
		return
	default:
		quiet := quietLetters
		if zsh {
			quiet = quietZsh
		}
		if on && !strings.ContainsRune(quiet, letter) {
			w.changing(s, "set -"+string(letter), span)
		}
		return
	}
	w.touched(s)
}

func (w *environment) setOption(s *state, name string, on bool, span Span) {
	if letter := optionLetter(name); letter != 0 {
		w.setLetter(s, letter, on, span)
		return
	}
	switch name {
	case "noglob":
		w.on.noglob = w.on.noglob || on
		s.noglob = on
		w.touched(s)
	case "history":
		if !on {
			w.unrecorded("changes what the shell records of its lines", span)
		}
	case "posix":
		w.on.posix = w.on.posix || on
		if on {
			w.changing(s, "posix mode", span)
		}
	default:
		if on && !listedIn(quietSet, name) {
			w.changing(s, "set -o "+name, span)
		}
	}
}

// shoptName turns one option of shopt on or off.
func (w *environment) shoptName(s *state, name string, on bool, span Span) {
	switch name {
	case "expand_aliases":
		s.alias = on
	case "promptvars", "cmdhist", "lithist":
		// prompts run code only with the first; a new shell has none, and Gemini CLI begins with it
		if w.o.Later && !on {
			w.unrecorded("changes what the shell records of its lines", span)
		}
	case "extglob":
		w.on.extglob = w.on.extglob || on
	case "inherit_errexit":
		s.inherit = on
	case "nullglob":
		w.on.nullglob = w.on.nullglob || on
	case "nocasematch":
		w.on.nocasematch = w.on.nocasematch || on
	case "dotglob", "nocaseglob":
		s.dotglob = s.dotglob || on
		w.on.nocaseglob = w.on.nocaseglob || on && name == "nocaseglob"
	case "globskipdots", "globasciiranges":
		s.dotglob = s.dotglob || !on
	case "patsub_replacement": // an ampersand is open anyway
	default:
		if !listedIn(quietShopt, name) && (on || name == "extquote") {
			w.changing(s, "shopt "+name, span)
		}
	}
}

// shellOptions are those that a new shell is started with, which the table of commands does
// not have: bash -O dotglob -c CODE.
func (w *environment) shellOptions(s *state, c *call, dialect Dialect) {
	for i := 1; i < len(c.words); i++ {
		text := c.words[i].Text
		if !c.words[i].Static || len(text) < 2 || text[0] != '-' && text[0] != '+' || text == "--" {
			return
		}
		if text == "--posix" {
			w.on.posix = true
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

func (w *environment) shellOption(s *state, letter rune, name Word, on bool, span Span) {
	switch {
	case !name.Static:
		w.opaque(s, InCode, "which option the shell is started with is not known", span)
	case letter == 'O':
		w.shoptName(s, name.Text, on, span)
	case on && name.Text == "posix":
		w.on.posix = true
		w.changing(s, "posix mode", span)
	case on && name.Text != "errexit" && name.Text != "nounset" && !listedIn(quietSet, name.Text):
		w.changing(s, "the option "+name.Text, span)
	case !on && optionLetter(name.Text) == 'B':
		w.changing(s, "the option "+name.Text, span)
	}
}

func (w *environment) shellLetter(s *state, letter rune, on bool, dialect Dialect, span Span) {
	quiet := quietLetters + "ceuilsqD"
	if dialect == Zsh {
		quiet = quietZsh + "ceuils"
	}
	if on && !strings.ContainsRune(quiet+"B", letter) || !on && letter == 'B' {
		w.changing(s, "the option "+string(letter), span)
	}
}

// The options of the shell that change what later text means. A name that is in none of these
// lists changes something that is not followed.

// quietShopt are names of shopt that change no effect, on or off.
const quietShopt = " array_expand_once assoc_expand_once bash_source_fullpath checkhash checkjobs" +
	" checkwinsize complete_fullquote direxpand dirspell cdspell execfail force_fignore globstar" +
	" gnu_errfmt histappend histreedit histverify hostcomplete huponexit interactive_comments" +
	" login_shell mailwarn no_empty_cmd_completion noexpand_translation progcomp restricted_shell" +
	" shift_verbose sourcepath syslog_history varredir_close "

// quietSet are the same for set -o.
const quietSet = " emacs errtrace functrace hashall ignoreeof interactive-comments monitor" +
	" noclobber noexec nolog notify onecmd pipefail privileged restricted verbose vi xtrace "

// quietLetters are the same for the letters of set, and quietZsh for those of zsh, where most
// letters are other options.
const (
	quietLetters = "bhmnprtvxCET"
	quietZsh     = "fmnvxC"
)

func listedIn(list, name string) bool { return name != "" && strings.Contains(list, " "+name+" ") }

// optionLetter is the short form of an option of set.
func optionLetter(name string) rune {
	switch name {
	case "allexport":
		return 'a'
	case "braceexpand":
		return 'B'
	case "errexit":
		return 'e'
	case "histexpand":
		return 'H'
	case "keyword":
		return 'k'
	case "nounset":
		return 'u'
	}
	return 0
}
