package launcher

import (
	"os"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// What a plan and the policy name is what the sandbox lets through, and what a person is told.
func TestContacts(t *testing.T) {
	const registries = "network: {allow: [api.example:443, '10.0.0.0/8', '*.x.test'], registries: [npm, yarn, jsr, pip, conda, go, cargo, gem, php, maven, nuget, hex, apt, apk]}\n"
	for _, test := range []struct {
		config, line, env string
		mode              sandbox.Network
		text              string
	}{
		{"", "ls", "", sandbox.Off, "no network"},
		{"", "curl https://example.com/x", "", sandbox.Hosts, "example.com:443"},
		// N2: a host is for the program that is given it, where others do not tell whom they
		// contact; so is a proxy.
		{"", "curl https://example.com/x; make", "", sandbox.Hosts, "example.com:443 (curl)"},
		{"", "curl https://example.com/x | grep a", "", sandbox.Hosts,
			"example.com:443; asks you about others"},
		{"", "nowhere-installed https://example.com/x; make", "", sandbox.Hosts,
			"example.com:443 (each program asks)"},
		{"", "curl https://example.com/x; make", "https_proxy=http://proxy.test:3128/",
			sandbox.Hosts,
			"example.com:443 (curl), local servers of this workspace, through the proxy"},
		{"", "curl http://localhost:1/x", "", sandbox.Hosts,
			"local servers of this workspace; asks you about others"},
		{"network: {localhost: false}\n", "make", "", sandbox.Hosts,
			"network: none; asks you about others"},
		{"network: {localhost: false}\nsecurity: {command_level: never}\n", "make", "",
			sandbox.Off, "no network"},
		{"network: {default: on}\n", "make", "", sandbox.Full, "network: any host"},
		{"", "curl http://$(cat host)/", "", sandbox.Full, "network: any host"},
		{"", "curl https://example.com/x", "https_proxy=http://proxy.test:3128/", sandbox.Hosts,
			"example.com:443, through the proxy proxy.test:3128, which may connect anywhere"},
		{"", "curl https://example.com/x", "HTTPS_PROXY=https://proxy.test", sandbox.Hosts,
			"through the proxy proxy.test:443,"},
		{"", "curl https://example.com/x", "HTTP_PROXY=proxy.test:8080", sandbox.Hosts,
			"through the proxy proxy.test:8080,"},
		{"", "curl https://example.com/x", "ALL_PROXY=socks5h://[fd00::5]", sandbox.Hosts,
			"through the proxy [fd00::5]:1080,"},
		{"", "curl https://example.com/x",
			"http_proxy=one.test:1 https_proxy=two.test:2 all_proxy=one.test:1", sandbox.Hosts,
			"through the proxy two.test:2 or one.test:1,"},
		{"", "curl https://example.com/x", "https_proxy=*.test:80", sandbox.Hosts,
			"example.com:443; asks you about others"},
		{"", "make", "ALL_PROXY=socks5h://proxy.test", sandbox.Hosts,
			"local servers of this workspace; asks you about others"},
		{registries, "make", "", sandbox.Hosts,
			"*.x.test, 10.0.0.0/8, api.example:443, local servers of this workspace"},
		{registries, "npm ci; yarn; deno cache x.ts; pip install x; conda install x; go build; cargo build; gem install x; composer install; mvn test; dotnet restore; mix deps.get; apt-get update; apk update", "", sandbox.Hosts, "registry.npmjs.org:443"},
	} {
		l, req := world(t)
		if err := os.WriteFile(l.state.Config(), []byte(test.config), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := own(l.state.Dir).Open()
		if err != nil {
			t.Fatal(err)
		}
		req.Shell.Text = test.line
		req.Env = append(req.Env, strings.Fields(test.env)...)
		j := judged(t, l, req)
		r := j.contacts()
		if r.mode != test.mode || !strings.Contains(r.text(), test.text) ||
			len(r.proxies) > 0 != strings.Contains(test.text, "proxy") {
			t.Errorf("%q under %q: %v %q", test.line, test.config, r.mode, r.text())
		}
		for _, rule := range r.reach.Rules {
			if some := strings.Contains(test.text, "(curl)"); some != (rule.For != nil) &&
				!strings.Contains(test.text, "each program asks") {
				t.Errorf("%q: rule %v is for %v", test.line, rule, rule.For)
			}
		}
		if r.mode == sandbox.Hosts && len(r.reach.Rules) != len(r.labelled())+len(r.proxies) {
			t.Errorf("%q: the fence does not understand some of %q: %v", test.line, r.hosts,
				r.reach.Rules)
		}
	}
}

// A server at all addresses is at the loopback's in a sandbox that answers for sockets, and is
// asked about where the run has the whole network.
func TestServersAtAllAddresses(t *testing.T) {
	for _, test := range []struct {
		config, line string
		asks         bool
		mode         sandbox.Network
	}{
		{"", "python3 -m http.server", false, sandbox.Hosts},
		{"", "npx serve .", false, sandbox.Hosts},
		{"", "python3 -m http.server --bind 0.0.0.0", true, sandbox.Hosts},
		{"", "nc -l 8000", true, sandbox.Hosts},
		{"", "curl http://$(cat host)/; python3 -m http.server", true, sandbox.Full},
		{"network: {default: on}\n", "python3 -m http.server", true, sandbox.Full},
	} {
		l, req := world(t)
		err := os.WriteFile(l.state.Config(), []byte(test.config), 0o600)
		if err == nil {
			l, err = own(l.state.Dir).Open()
		}
		if err != nil {
			t.Fatal(err)
		}
		req.Shell.Text = test.line
		j := judged(t, l, req)
		if r := j.contacts(); r.mode != test.mode || j.spoke("net.listen") != test.asks {
			t.Errorf("%q under %q: %v, %v", test.line, test.config, r.mode, j.Verdict)
		}
	}
}

func TestProxy(t *testing.T) {
	for address, want := range map[string]string{
		"http://proxy.test:3128": "proxy.test:3128", "proxy.test:8080": "proxy.test:8080",
		"https://proxy.test": "proxy.test:443", "http://proxy.test": "proxy.test:1080",
		"socks5h://[::1]:9050/":              "[::1]:9050",
		"socks5://user:secret@10.0.0.1:1080": "10.0.0.1:1080",
		"socks5://[fd00::1]":                 "[fd00::1]:1080", "": "",
	} {
		if got := proxyOf(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
