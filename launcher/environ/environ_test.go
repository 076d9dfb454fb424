package environ

import (
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

func TestScrub(t *testing.T) {
	for _, test := range []struct {
		entry string
		kept  bool
	}{
		{"PATH=/bin", true},
		{"HOME=/home/dev", true},
		{"LANG=C.UTF-8", true},
		{"MAKEFLAGS=-j2", true},    // make talks to its children through the environment
		{"MY_BUILD_DIR=out", true}, // not known, but too plain to be a secret
		{"RELEASE=v1.22.0-rc.1", true},
		{"EXTRA_LIBS=/usr/lib/x86_64-linux-gnu:/opt/lib64", true},
		{"CACHE=/tmp/TestFidelity3318461250/001/state:/home/dev/.cache/go-build0123456789", true},
		{"ODD=/Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA", false},
		{"GREETING=good morning", true},
		{"PWD=/w", true},
		{"SESSION_ID=123e4567e89b42d3a456426614174000", false}, // may be a token
		{"OPAQUE=Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA==", false},
		{"BLOB=a\x01b", false},
		// a known name does not make a token harmless
		{"CONFIG_SITE=ghp_0123456789abcdefghij0123456789", false},
		{"HTTP_PROXY=http://proxy.example:3128", true},
		{"HTTP_PROXY=http://dev:hunter2@proxy.example:3128", false},
		{"DATABASE_URL=postgres://app:pw@db/app", false},
		{"PRIVATE=-----BEGIN OPENSSH PRIVATE KEY-----", false},
		{"TOKEN=x", false},
		{"PYTHONPATH=/tmp/x", false},
		{"RAILS_MASTER_KEY=0123456789abcdef0123456789abcdef", false},
		{"DENO_AUTH_TOKENS=x@y", false},
		{"DOCKER_AUTH_CONFIG=x", false}, // by a part that only the judge knew
		{"SSH_PRIVATE_FILE=x", false},
		{"S3_ACCESS_KEY_ID=x", false},
		{"HTTP_AUTHORIZATION=x", false},
		{"SLACK=xoxe-0123456789ab", false}, // by a mark that only the record knew
		{"GOPRIVATE=example.org/x", true},  // by an entry of its own
		{"ANSIBLE_HOST_KEY_CHECKING=False", true},
		{"XAUTHORITY=/home/dev/.Xauthority", true},
		{"YARN_NPM_AUTH_IDENT=user:pw", false},
		{"BUNDLE_ENTERPRISE__CONTRIBSYS__COM=a1b2c3d4:e5f6a7b8c9d0", false},
		{"npm_config__authToken=x", false},
		{"GOOGLE_SERVICE_KEY=x", false},
		{"PIP_INDEX_URL=https://TOKEN@host/simple", false},
		{"PIP_INDEX_URL=https://host/simple", true},
		{"CI_REPOSITORY_URL=ssh://git@host/x", true},
		{"GOFLAGS=-toolexec=/tmp/x", false},
		{"MAKEFILES=/tmp/x", false},
		{"KEYBOARD=us", true},
		{"GOPROXY=https://proxy.example", true},
		{"NODE_OPTIONS=--require=/tmp/x.js", false},
		{"KEPT_SECRET_TOKEN=x", true}, // by the person's own word
		{"GIT_AUTHOR_NAME=dev", true},
		{"CLAUDECODE=1", true}, // which client asks, for the record
		{"EMPTY=", true},

		{"EDITOR=vim", true},
		{"VISUAL=code --wait", true},
		{"GIT_EDITOR=:", true}, // git, for its hooks
		{"GIT_EDITOR=", true},
		{"GIT_SEQUENCE_EDITOR=/usr/bin/nano -w", true},
		{"PAGER=less -FRX", true},
		{"GIT_PAGER=/opt/homebrew/bin/delta --side-by-side", true},
		{"GIT_EDITOR=false", true},
		{"GIT_EDITOR=editor", true},
		{"MANPAGER=nvim +Man!", true},
		{"PAGER=less -S", true},
		{"GIT_EDITOR=vim -S", false}, // the message of a commit would be its script
		{"EDITOR=emacs -l", false},
		{"PAGER=less -k", false},
		{"ALTERNATE_EDITOR=sh x", false},
		{"JJ_EDITOR=sh x", false},
		{"PERLDOC_PAGER=sh x", false},
		{"GIT_BRANCH=main", true},
		{"GIT_EDITOR=rm -rf /w", false},
		{"EDITOR=sh", false}, // git commit -e would execute the message
		{"EDITOR=vim -c :!x", false},
		{"VISUAL=vim +!x", false},
		{"PAGER=less;x", false},
		{"PAGER=./less", false},
		{"GIT_PAGER=/w/less", false},
		{"GIT_EDITOR=/usr/bin/../../w/vim", false},
		{"GIT_EDITOR=$(x)", false},
		{"MANPAGER=sh -c x", false},
		{"GIT_TRACE=/w/x", false},
		{"GIT_SSH_VARIANT=simple", false},
		{"GIT_SSL_CAINFO=/w/x", true}, // as SSL_CERT_FILE: whom git trusts, not what it runs
		{"GIT_PAGER=/opt/w/less", false},
		{"GIT_ATTR_SOURCE=HEAD", false},
		{"GIT_DIR=/w/.git", true},
		{"GIT_QUARANTINE_PATH=/w/.git/objects/x", true},

		{"LD_PRELOAD=x.so", false},
		{"LD_AUDIT=x.so", false},
		{"BASH_ENV=x", false},
		{"ENV=x", false},
		{"BASH_FUNC_ls%%=() { rm x; }", false},
		{"PROMPT_COMMAND=x", false},
		{"SHELLOPTS=xtrace", false},
		{"PS4=$(x)", false},
		{"IFS=_", false},
		{"CDPATH=/", false},
		{"PERL5OPT=-Mx", false},
		{"GIT_EXTERNAL_DIFF=x", false},
		{"GIT_CONFIG_PARAMETERS='core.pager=x'", false},
		{"GIT_COMMON_DIR=/tmp/x", false},
		{"npm_config_node_options=--require=/tmp/x.js", false}, // another way to NODE_OPTIONS
		{"npm_config_cache=/tmp/x", true},
		{"NODE_PATH=/tmp/x", false},
		{"NODE_ENV=production", true},
		{"PYTHONPYCACHEPREFIX=/tmp/x", false},
		{"PYTHONUNBUFFERED=1", true},
		{"RUSTC_WRAPPER=/tmp/x", false},
		{"RUSTC=rustc", true}, // cargo sets it for its build scripts
		{"CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER=/tmp/x", false},
		{"CARGO_BUILD_JOBS=2", true},
		{"GOCACHEPROG=/tmp/x", false},
		{"SUDO_ASKPASS=/tmp/x", false},
		{"LESSKEYIN=/tmp/x", false}, // another way to LESSOPEN
		{"LESS=-R", true},
		{"R_PROFILE_USER=/tmp/x", false},
		{"PHP_INI_SCAN_DIR=/tmp/x", false},
		{"CORECLR_PROFILER_PATH=/tmp/x.so", false},
		{"GTK_MODULES=/tmp/x.so", false},
		{"VIMINIT=source /tmp/x", false},

		{"ANTHROPIC_API_KEY=sk", false},
		{"GH_TOKEN=x", false},
		{"AWS_SECRET_ACCESS_KEY=x", false},
		{"db_password=x", false},
		{"SSH_AUTH_SOCK=/tmp/x", true}, // who connects to it is asked about
		{"no-equals-sign", false},
		{"=x", false},
	} {
		e := Scrub([]string{test.entry}, []string{"KEPT_*"})
		if got := len(e.Kept) == 1; got != test.kept {
			t.Errorf("%q kept: %v, want %v", test.entry, got, test.kept)
		}
	}
}

// Of two values for one name a program may read the first and a shell the last. There is one.
func TestScrubKeepsOneValueOfAName(t *testing.T) {
	e := Scrub([]string{"A=1", "B=2", "A=3"}, nil)
	if !slices.Equal(e.Kept, []string{"B=2", "A=3"}) || e.Vars()["A"] != "3" {
		t.Errorf("%q", e.Kept)
	}
}

func TestScrubNamesWhatItRemoved(t *testing.T) {
	e := Scrub([]string{"Z_TOKEN=secret", "LD_PRELOAD=x"}, nil)
	if !slices.Equal(e.Removed, []string{"LD_PRELOAD", "Z_TOKEN"}) {
		t.Errorf("%q", e.Removed)
	}
	if strings.Contains(strings.Join(e.Removed, " "), "secret") {
		t.Error("the value of a secret is told")
	}
}

// J3: what the judge asks about in a command line, the environment of a caller does not bring
// unasked: whatever variable runs, loads or follows something has a word that says what a command
// gets of it, and by the word "removed" gets nothing, whatever the value.
func TestVariablesAreOneTable(t *testing.T) {
	reads := []string{"passes", "plain", "shown", "removed", "secret", "caller"}
	for e := range catalog.Variables().Entries() {
		code := e.Has("runs", "starts", "sources", "loads", "prompts", "options")
		if code && !e.Has(reads...) {
			t.Errorf("%s: nothing says whether a command gets it", e.Key)
		}
		if kind, _ := e.First(); kind == "removed" && e.Why() == "" {
			t.Errorf("%s: nothing says why it is removed", e.Key)
		}
		name := strings.Replace(e.Key, "*", "X", 1)
		for _, value := range []string{"1", "x", "/tmp/x", "-x", ""} {
			kept := len(Scrub([]string{name + "=" + value}, nil).Kept) == 1
			if kept && e.Has("removed", "secret", "caller") {
				t.Errorf("%s=%s is kept", name, value)
			}
			if !kept && e.Has("passes") && !namesSecret(name, e) {
				t.Errorf("%s=%s is not kept", name, value)
			}
		}
	}
}

// C3: the identical command of another release of a package manager is the identical plan; that of
// another one is not. Whether OpenCode has set the variable yet makes no difference.
func TestTheProductsOfAUserAgentAreBound(t *testing.T) {
	bound := func(value string) string {
		b, _ := Bound(map[string]string{"npm_config_user_agent": value}, nil)
		return b["npm_config_user_agent"]
	}
	one := bound("npm/10.8.2 node/22.1.0 linux x64")
	if one == "" || one != bound("npm/11.0.1 node/24.0.0 linux x64") {
		t.Errorf("%q differs between releases", one)
	}
	for _, other := range []string{"pnpm/10.8.2 node/22.1.0 linux x64", "", "npm/10.8.2"} {
		if one == bound(other) {
			t.Errorf("%q is taken for %q", other, one)
		}
	}
	for _, agent := range []string{"opencode/1.18.33 bun/1.3.2 linux x64",
		"npm/undefined node/v24.3.0 linux x64 workspaces/false"} { // of OpenCode and of Kilo
		if b := bound(agent); b != "" {
			t.Errorf("%q is bound: %q", agent, b)
		}
	}
}
