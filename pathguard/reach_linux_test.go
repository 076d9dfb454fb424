package pathguard

import (
	"fmt"
	"strings"
	"testing"
)

// Whom a command line may contact, by what it names and by what the policy lists.
func TestReach(t *testing.T) {
	const list = "network: {allow: [api.example:443, '10.0.0.0/8'], registries: [npm, go]}\n"
	for _, tt := range []struct{ policy, line, want string }{
		{"", "ls", ""},
		{"", "cp a b", ""},
		{"", "curl https://example.com/x", "example.com:443"},
		{"", "curl http://example.com/x", "example.com:443 example.com:80"},
		{"", "curl http://Example.com.:8080/x", "example.com:8080"},
		{"", "git clone https://github.com/a/b", "github.com:443"},
		{"", "git clone git@github.com:a/b", "github.com:22"},
		{"", "ssh -p 2222 host.example true", "host.example:2222"},
		{"", "curl http://localhost:3000/", "localhost"},
		{"", "curl http://127.0.0.1:3000/", "localhost"},
		{"", "curl \"http://$HOST/\"", "unknown"},
		{"", "curl 'http://*.example/'", ""},
		{"", "git clone '*.example:a/b'", ""},
		{"", "ping -c 1 0.0.0.0/0", ""},
		{"", "dig '*.example' && ping 10.0.0.0/8", ""},
		{"", "make", "localhost"},
		{"", "curl https://a.example/ && make", "a.example:443 localhost"},
		{"", "npm ci", "registry.npmjs.org:443 localhost"},
		{"", "npm --prefix web ci && npm publish", "registry.npmjs.org:443 localhost"},
		{"", "npm test", "localhost"},
		{"", "go test ./...", "proxy.golang.org:443 sum.golang.org:443 localhost"},
		{"", "npm test", "localhost"},
		{"network: {registries: []}\n", "npm ci", "localhost"},
		{"network: {localhost: false}\n", "make", ""},
		{"network: {localhost: false}\n", "curl http://localhost:1/", ""},
		{list, "make", "10.0.0.0/8 api.example:443 localhost"},
		{list, "npm ci", "10.0.0.0/8 api.example:443 registry.npmjs.org:443 localhost"},
		{list, "go mod download",
			"10.0.0.0/8 api.example:443 proxy.golang.org:443 sum.golang.org:443 localhost"},
		{list, "pip install x", "10.0.0.0/8 api.example:443 localhost"},
		{list, "curl https://example.com/x", "10.0.0.0/8 api.example:443 example.com:443"},
		{list, "curl http://localhost:1/x", "10.0.0.0/8 api.example:443 localhost"},
		{list, "cp a b", ""},
		{list, "ls", ""},
	} {
		g, _ := desk(t, tt.policy)
		_, plan, err := g.judge(tt.line)
		if err != nil {
			t.Fatal(err)
		}
		r := g.Policy.Reach(plan)
		plan.Close()
		for _, g := range r.Registries {
			if !g.Asks && g.From == "" {
				r.Hosts = append(r.Hosts, g.Host)
			}
		}
		got := strings.Join(r.Hosts, " ")
		if r.Localhost {
			got += " localhost"
		}
		if r.Unknown {
			got += " unknown"
		}
		if got = strings.TrimSpace(got); !strings.HasPrefix(tt.line, "curl \"") && got != tt.want ||
			!strings.Contains(got, tt.want) {
			t.Errorf("%q under %q: %q, want %q", tt.line, tt.policy, got, tt.want)
		}
	}
}

// N2: which programs a host of the command line is for.
func TestReachGives(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"curl https://a.test", "all"},
		{"curl https://a.test | jq .; cp a b", "all"},
		{"git fetch https://a.test/x", "all"},
		{"curl https://a.test; make", "curl"},
		{"curl https://a.test; python3 -c 'print(1)'", "curl"},
		{"curl https://a.test; git fetch https://a.test/x; make", "curl git"},
		{"env -i timeout 5 /usr/bin/curl https://a.test && npm test", "curl"},
		{"bash -c 'curl https://a.test; make'", "curl"},
		{"exec 3<>/dev/tcp/a.test/443; make", "shell"},
		{"printf 'curl https://a.test\\n' > s.sh; sh s.sh", "curl"},
		{"nowhere-installed https://a.test; make", "none"},
	} {
		g, _ := desk(t, "")
		_, plan, err := g.judge(tt.line)
		if err != nil {
			t.Fatal(err)
		}
		r := g.Policy.Reach(plan)
		plan.Close()
		got := "all"
		if list, some := r.For["a.test:443"]; some {
			got = ""
			for _, giver := range list {
				if giver.ID == "" {
					giver.Name = "shell"
				}
				if !strings.Contains(got, giver.Name) {
					got += " " + giver.Name
				}
			}
			if got = strings.TrimSpace(got); len(list) == 0 {
				got = "none"
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}

// A file of the workspace takes away from whom code may reach, and never adds.
func TestReachTightens(t *testing.T) {
	base := Settings{NetworkReach: []string{"*.example", "b.test:443"},
		Registries: []string{"npm", "go"}}
	for _, tt := range []struct {
		add  Settings
		want string
	}{
		{Settings{Network: NetOff, NetworkReach: []string{"evil.test"},
			NetworkAllow: []string{"evil.test"}}, "[*.example b.test:443] [npm go] false"},
		{Settings{Network: NetList, NetworkAllow: []string{"a.example:443", "evil.test", "b.test"},
			Registries: []string{"npm", "pip"}}, "[b.test:443 a.example:443] [npm] false"},
		{Settings{Network: NetOff, NoLocalhost: true, Registries: []string{}},
			"[*.example b.test:443] [] true"},
	} {
		out, _ := base.strictest(tt.add)
		if got := fmt.Sprint(out.NetworkReach, out.Registries, out.NoLocalhost); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.add, got, tt.want)
		}
	}
}

func TestReachable(t *testing.T) {
	for text, ok := range map[string]bool{
		"a.example": true, "A.example:443": true, "'*.a.example:1'": true, "10.0.0.0/8": true,
		"10.0.0.1:22": true, "'[fd00::1]:22'": true, "'fd00::1'": true,
		"'a:0'": false, "'a:70000'": false, "'a:x'": false, "'http://x/'": false, "'*'": false,
		"'a b'": false, "'u@h'": false, "'..'": false, "'10.0.0.0/99'": false,
	} {
		_, err := decode(ConfigFile{Layer: UserLayer}, []byte("network: {allow: ["+text+"]}"),
			defaults())
		if (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}
