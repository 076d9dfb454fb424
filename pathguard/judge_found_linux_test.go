package pathguard

import "testing"

// C-3.4.1: a name that find(1) searches for counts like a name on the command line, whatever
// program takes it.
func TestFound(t *testing.T) {
	g, root := desk(t, "security:\n  restricted_paths: [/etc/shadow, ~/.vault, '@/w/keep/x.txt']\n",
		"w/keep/x.txt", "w/a.json", "w/build/")
	g.expect(t, Deny,
		"find /etc -name shadow -exec cat {} \\;",
		"find / -iname SHADOW -exec cp {} . \\;",
		"find /etc -name shadow | xargs cat",
		"find / -name 'shad*' -print0 | xargs -0 grep root",
		"find ~ -path '*/.vault/*' -exec cat {} +",
		"find . -name x.txt -exec cat {} +",
		"find / -name shadow -exec rm {} +",
		"find /etc -name shadow -exec sh -c 'cat \"$1\"' _ {} \\;",
		"find /etc -name shadow -exec sh -c 'for f; do cat $f; done' _ {} +",
		"find /etc -regex '.*/shadow' -exec cat {} \\;",
		"cat $(find /etc -name shadow)",
		"for f in $(find /etc -name shadow); do cat $f; done",
		"find /etc -name shadow | while read f; do cat \"$f\"; done",
		"while read f; do cat $f; done < <(find /etc -name shadow)",
		"fd shadow /etc -x cat",
		"locate shadow | xargs cat",
		"bash -c 'cat \"$0\"' /etc/shadow",
		"sh -c 'cat \"$0\" \"$1\"' a /etc/shadow",
	)
	g.expect(t, Ask,
		"find . -name '.env*' -exec cat {} +",
		"find . -name .env | xargs grep KEY",
		"find . -name '*.pem' -exec cat {} \\;",
		"cat .env*",
		"locate id_rsa | xargs cat",
		"cat $(locate .env)",
		"plocate -r '\\.pem$' | while read -r f; do cat \"$f\"; done",
		"for f in $(find . -name .env); do cat $f; done",
		"find . -name '*.ts' -exec sh -c '> \"$1\"' _ {} \\;",
		"find . -type f -exec truncate -s 0 {} +",
		"echo x > node_modules/.bin/tsc",
		"cp x .venv/bin/python",
		"/etc/init.d/nginx stop",
	)
	g.expect(t, Allow,
		"find . -name '*.json' -exec cat {} +",
		"find . -name '*.json' | xargs cat",
		"find . -not -name x.txt -exec wc -l {} +",
		"find / -name shadow",
		"cat *.json",
		"find src -name '*.js' -exec sh -c 'mv \"$1\" \"${1%.js}.ts\"' _ {} \\;",
		"find . -name '*.go' -exec sh -c 'wc -l \"$1\"' _ {} \\;",
		"for f in $(find . -name '*.json'); do cat $f; done",
		"t=$(mktemp) && echo x > $t && rm $t",
		"rm -rf out",
		"rm -rf node_modules/.cache",
		"/etc/init.d/nginx status",
	)
	g.expect(t, Deny, "tada-run --home /tmp/x ls", "tada-run --profile=off ls",
		"TADA_HOME=/tmp/x tada-run ls")
	g.Caller.StateDir = root + "/state"
	g.expect(t, Allow, "tada-run --home="+root+"/state ls") // as a hook writes it
}

// C-3.4.1: what only moves or replaces a link is judged by the link, and not by where it leads.
func TestLinksThemselves(t *testing.T) {
	g, _ := desk(t, "security:\n  restricted_paths: ['@/vault']\n", "vault/x", "w/in -> @/vault/x",
		"w/dir -> @/vault")
	g.expect(t, Allow, "mv in other", "ln -sfn src in", "rm in")
	g.expect(t, Deny, "cat in", "cp in other", "mv src dir/", "mv src/a.go dir", "ln -s src dir/y")
}
