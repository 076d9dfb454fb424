package gitmeta

import (
	"slices"
	"strings"
)

// plainOptions are options of git's commands that name no program, whichever command they are given
// to, so that an alias of them is ordinary. Most that do are called differently everywhere (-O, -x,
// --extcmd, --upload-pack, --exec, -c), and can be shortened: so nothing else is.
const plainOptions = `
	-1 -2 -3 -5 -10 -20 -a -b -d -D -m -am -n -p -q -s -sb -v -vv -w
	--abbrev-commit --abort --all --amend --author --autostash --branch --branches --cached --color --color-words --continue --date --date-order --decorate
	--delete --dirstat --ff-only --first-parent --follow --force-with-lease --format --global --graph --hard --keep --list --local --max-count --merged --mixed
	--name-only --name-status --no-color --no-commit --no-edit --no-ff --no-merges --no-verify --numstat --oneline --patch --pretty --prune --quiet --rebase --reverse
	--short --shortstat --show-toplevel --simplify-by-decoration --since --skip --soft --sort --staged --stat --summary --tags --topo-order --until --verbose
	--verify --word-diff
`

// runners are commands that run something by themselves, or change a configuration.
const runners = "bisect config daemon difftool filter-branch for-each-repo foreach hook instaweb " +
	"mergetool run sh-setup upload-archive"

// plainAlias reports whether an alias runs nothing but git: no shell, no option and no command that
// names a program.
func plainAlias(value string) bool {
	words, ok := aliasWords(value)
	if !ok || len(words) == 0 {
		return !ok // git refuses it
	}
	if strings.HasPrefix(strings.TrimSpace(value), "!") || strings.HasPrefix(words[0], "!") ||
		strings.HasPrefix(words[0], "-") {
		return false
	}
	for _, w := range words {
		name, _, _ := strings.Cut(w, "=")
		if len(w) > 1 && w[0] == '-' && w != "--" &&
			!slices.Contains(strings.Fields(plainOptions), name) ||
			slices.Contains(strings.Fields(runners), w) || strings.Contains(w, "::") {
			return false
		}
	}
	return true
}

// aliasWords splits an alias as git does (split_cmdline in its alias.c); not ok is what it refuses.
func aliasWords(value string) (words []string, ok bool) {
	var word strings.Builder
	var quote byte
	begun := false
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case quote == 0 && strings.IndexByte(" \t\n\v\f\r", c) >= 0:
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
			continue
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		default:
			if c == '\\' && quote != '\'' {
				if i++; i == len(value) {
					return nil, false
				}
				c = value[i]
			}
			word.WriteByte(c)
		}
		begun = true
	}
	if begun {
		words = append(words, word.String())
	}
	return words, quote == 0
}
