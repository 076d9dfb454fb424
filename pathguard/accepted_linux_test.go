package pathguard

import (
	"strings"
	"testing"
)

// What a person has accepted of a workspace's configuration allows what its rules say; nothing else
// in it loosens, a stricter rule wins, and under a floor it allows nothing.
func TestAccepted(t *testing.T) {
	g, root := desk(t, "", "w/a", "w/.env")
	account := g.Policy.account
	proposed := ConfigFile{Path: root + "/w/.tada/config.yaml", Layer: WorkspaceLayer,
		Root: root + "/w", Draft: []byte(`environment: {keep: [A_TOKEN]}
tools: {allow: [Deploy]}
background: keep
network: {default: on}
undo: {quota: 0}
programs: "mytool: : R*"
rules:
  commands: [{program: git, args: [push], verdict: allow}, {program: make, verdict: ask}]
  hosts: [{host: x.test, verdict: allow}, {host: y.test, verdict: deny}]
`)}
	file := func(layer Layer, text string) ConfigFile {
		return ConfigFile{Path: layerName(layer), Layer: layer, Draft: []byte(text)}
	}
	for _, test := range []struct {
		name     string
		files    []ConfigFile
		accepted bool
		push     Decision
		upload   Decision
		notes    int // of rules that have no effect
	}{
		{"not accepted", nil, false, Ask, Ask, 2},
		{"accepted", nil, true, Allow, Allow, 0},
		{"beside a stricter rule", []ConfigFile{file(UserLayer,
			"rules: {commands: [{program: git, verdict: deny}]}")}, true, Deny, Allow, 0},
		{"under a floor", []ConfigFile{file(FloorLayer, "plain: false")}, true, Ask, Ask, 2},
		{"under a floor and a file", []ConfigFile{file(FloorLayer, "plain: false"),
			file(UserLayer, "plain: false")}, true, Ask, Ask, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			base, err := Load(account, test.files...)
			if err != nil {
				t.Fatal(err)
			}
			proposed.Accepted = test.accepted
			if g.Policy, err = base.Tighten(proposed); err != nil {
				t.Fatal(err)
			}
			g.expect(t, test.push, "git push origin main")
			g.expect(t, test.upload, "curl -T a https://x.test")
			g.expect(t, Ask, "make", "cat .env")
			g.expect(t, Deny, "curl https://y.test")
			notes := 0
			for _, n := range g.Policy.Notes() {
				if strings.Contains(n, "the rule that allows") {
					notes++
				}
			}
			was, now := base.Settings(), g.Policy.Settings()
			if notes != test.notes || len(now.KeepEnv)+len(now.Tools) > 0 ||
				now.KeepBackground || now.Network != was.Network || now.Programs != was.Programs ||
				now.UndoInForce().Quota != was.UndoInForce().Quota {
				t.Errorf("%d notes %q, settings %+v", notes, g.Policy.Notes(), now)
			}
		})
	}
}

func layerName(l Layer) string {
	if l == FloorLayer {
		return "/etc/tada/config.yaml"
	}
	return "config.yaml"
}
