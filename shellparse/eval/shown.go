package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
	shsyntax "github.com/tada-run/tada-run/shellparse/syntax"
)

// A disclosure is how a language prints a variable of its environment: the words that print, and
// what is around the name.
type disclosure struct {
	lang  string
	says  []string
	asks  []string // what comes before the name, up to its quote or bracket
	quote string   // the characters that end the name
}

// disclosures are the languages that small programs on command lines are written in.
var disclosures = [...]disclosure{
	{"python", []string{"print(", "write("},
		[]string{"os.environ[", "os.environ.get(", "os.getenv(", "environ[", "getenv(",
			"settings."}, `"'`},
	{"javascript", []string{"console.log(", "console.error(", "console.info(", "write("},
		[]string{"process.env.", "process.env[", "Bun.env.", "Deno.env.get("}, `"'`},
	{"ruby", []string{"puts", "print", "p", "pp"}, []string{"ENV[", "ENV.fetch("}, `"'`},
	{"perl", []string{"print", "say"}, []string{"$ENV{"}, `"'`},
	{"php", []string{"echo", "print", "print(", "print_r(", "var_dump(", "var_export(", "dump(",
		"dd("},
		[]string{"getenv(", "$_ENV[", "$_SERVER[", "config(", "env("}, `"'`},
	{"awk", []string{"print"}, []string{"ENVIRON["}, `"`},
}

// keepers are calls with which a program asks a store of secrets, or for all variables of a file.
var keepers = []string{"Rails.application.credentials", "dotenv_values(", "keyring.get_password("}

// erasers are calls with which the libraries of frameworks delete records. Two are a chain: the
// second behind the first in one line.
var erasers = [...]struct{ lang, call, then string }{
	{"php", "::truncate()", ""},
	{"php", "->truncate()", ""},
	{"php", "::query()", "->delete()"},
	{"php", "->forceDelete()", ""},
	{"elixir", "Repo.delete_all(", ""},
	{"python", ".objects.", ".delete()"},
	{"python", ".drop_all(", ""},
	{"ruby", ".delete_all", ""},
	{"ruby", ".destroy_all", ""},
	{"ruby", ".drop_table", ""},
}

// erases reports whether a program deletes records of a database by such a call.
func erases(lang, text string) bool {
	for _, e := range erasers {
		if e.lang != lang {
			continue
		}
		for rest := text; ; {
			_, after, found := strings.Cut(rest, e.call)
			if line, _, _ := strings.Cut(after, "\n"); found && strings.Contains(line, e.then) {
				return true
			}
			if rest = after; !found {
				break
			}
		}
	}
	return false
}

// showsSecret finds a program that prints a secret of its environment as it is. One that only
// looks whether there is one, or how long it is, shows nothing.
func showsSecret(lang, text string) bool {
	for _, call := range keepers {
		if strings.Contains(text, call) {
			return true
		}
	}
	i := slices.IndexFunc(disclosures[:], func(p disclosure) bool { return p.lang == lang })
	if i < 0 {
		return false
	}
	p := &disclosures[i]
	for _, ask := range p.asks {
		for rest := text; ; {
			before, after, found := strings.Cut(rest, ask)
			if !found {
				break
			}
			rest = after
			name := strings.TrimLeft(after, p.quote)
			end := strings.IndexFunc(name, func(r rune) bool {
				return r != '_' && (r != '.' || ask != "config(") &&
					(r > 'z' || !shsyntax.Letter(byte(r)) && (r < '0' || r > '9'))
			})
			if end < 0 {
				end = len(name)
			}
			secret := catalog.SecretName(name[:end]) ||
				ask == "config(" && catalog.SecretSetting(name[:end])
			if secret && p.printed(strings.TrimRight(before, " (\"`{$#")) &&
				plainEnd(name[end:]) {
				return true
			}
		}
	}
	return false
}

// printed reports whether a text ends in a word that prints.
func (p *disclosure) printed(before string) bool {
	for _, say := range p.says {
		word := strings.TrimSuffix(say, "(")
		if rest, ok := strings.CutSuffix(before, word); ok &&
			(rest == "" || !shsyntax.WordByte(rest[len(rest)-1]) || rest[len(rest)-1] == '.') {
			return true
		}
	}
	return false
}

// plainEnd reports whether behind a name nothing is asked of its value.
func plainEnd(rest string) bool {
	rest = strings.TrimLeft(rest, "\"'])} ")
	return rest == "" || strings.IndexByte(";,\n.+", rest[0]) >= 0 &&
		!strings.HasPrefix(rest, ".length")
}
