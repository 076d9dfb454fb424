package hosts

import (
	"slices"
	"strings"
	"testing"
)

// Which registries a command asks, by its program and its subcommand.
func TestAsked(t *testing.T) {
	for line, want := range map[string]string{
		"npm install x": "npm", "npm --prefix web ci": "npm", "npm test": "", "npm run build": "",
		"npm": "", "/usr/bin/npm publish": "npm", "npx x": "npm", "yarn": "yarn", "yarn test": "",
		"pip install x": "pip", "pip list": "", "go get x": "go", "go -C d mod download": "go",
		"go test ./...": "", "go run .": "", "cargo +nightly build": "cargo", "cargo test": "",
		"uv publish": "pypi-upload", "uv sync": "pip", "twine upload x": "pypi-upload",
		"apt-get -y install x": "apt", "mvn test": "maven", "./npm ci": "",
		"./v/bin/pip install x": "pip", "./gradlew build": "maven", "./cargo fetch": "",
		"ls": "", "registry": "", "": "",
	} {
		program, args, _ := strings.Cut(line, " ")
		own := strings.HasPrefix(program, "./")
		var got []string
		for _, g := range Asked(program, strings.Fields(args), own) {
			got = append(got, g.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// Each host of the table is HOST:PORT, and each registry has a tool.
func TestRegistries(t *testing.T) {
	var names []string
	for _, g := range Registries() {
		names = append(names, g.Name)
		for _, host := range g.Hosts {
			if name, port := Cut(host); port == 0 || name == "" {
				t.Errorf("%s: host %q", g.Name, host)
			}
		}
		if len(g.Tools) == 0 || len(g.Hosts) == 0 {
			t.Errorf("%s has no tool or no host", g.Name)
		}
	}
	if slices.Sort(names); !slices.Equal(names, Names()) {
		t.Errorf("names %q, want %q", Names(), names)
	}
}

// The hosts that settings name, in the formats of the tools.
func TestNamed(t *testing.T) {
	all := Setting{File: "x", Keys: []string{"registry", "*:registry", "index-url",
		"extra-index-url",
		"index", "url", "sources", "npmRegistryServer", "GOPROXY", "GOSUMDB", "deb", "URIs"}}
	for _, tt := range strings.Split(strings.TrimSpace(settingTexts), "\n\n") {
		text, want, _ := strings.Cut(tt, "\n=")
		if got := strings.Join(all.Named(text), " "); got != strings.TrimSpace(want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	env := Setting{Keys: []string{"npm_config_registry", "*:registry"}}
	if got := env.Named("NPM_CONFIG_REGISTRY=http://x:1"); !slices.Equal(got, []string{"x:1"}) {
		t.Error(got)
	}
}

// settingTexts are settings and, after =, the hosts that they name.
const settingTexts = `
registry=https://npm.corp/
= npm.corp:443

@a:registry = http://NPM.corp.:8081/x
//npm.corp/:_token=s
= npm.corp:8081

# registry=https://evil.test
;registry=https://evil.test
=

[global]
index-url = https://u:p@pip.corp/simple
extra-index-url =
    https://a.corp/s
	https://b.corp/s
= pip.corp:443 a.corp:443 b.corp:443

[registries.x]
index = "sparse+https://crates.corp/i/"
= crates.corp:443

---
:sources:
- https://gems.corp/
:verbose: true
- https://no.corp/
= gems.corp:443

npmRegistryServer: "https://y.corp"
other: "https://no.corp"
= y.corp:443

GOPROXY=https://a.corp,http://b.corp|direct
= a.corp:443 b.corp:80

GOSUMDB=sum.corp
= sum.corp:443

GOSUMDB=off
=

deb [arch=amd64] http://deb.corp/debian x main
= deb.corp:80

Types: deb
URIs: https://a.corp/x
 https://b.corp/y
Suites: https://no.corp
= a.corp:443 b.corp:443

  <url>https://mvn.corp/m</url>
= mvn.corp:443

registry "https://y1.corp"
= y1.corp:443

registry=https://[fd00::1]:8/
= [fd00::1]:8

registry=https://*.evil.test/
registry=file:///x
registry=https://${HOST}/
registry=https://a/24
= a:443

unknown=https://no.corp
=
`

// What settings say to a tool in variables of the environment, without secrets.
func TestGiven(t *testing.T) {
	for _, tt := range []struct{ file, text, want string }{
		{"~/.npmrc", "registry=https://npm.corp/\n@a:registry = https://u:secret@a.corp/x/\n" +
			"//npm.corp/:_authToken=secret\n_auth=secret\nemail=x@npm.corp",
			"npm_config_registry=https://npm.corp/ npm_config_@a:registry=https://a.corp/x/"},
		{"~/.npmrc", "registry=https://one.corp/\nregistry=https://two.corp/",
			"npm_config_registry=https://two.corp/"},
		{"~/.npmrc", "registry=https://${HOST}/", ""},
		{"~/.npmrc", "registry=https://corp/?token=secret", ""},
		{"~/.npmrc", "registry=https://dl.corp/a8Fz3kQ9x7Lm2Pw1/npm/", ""},
		{"~/.npmrc", "; registry=https://one.corp/", ""},
		{"~/.yarnrc.yml", "npmRegistryServer: \"https://y.corp\"\nnpmAuthToken: secret",
			"YARN_NPM_REGISTRY_SERVER=https://y.corp"},
		{"~/.config/pip/pip.conf", "[global]\nindex-url = https://u:secret@pip.corp/simple\n" +
			"extra-index-url =\n    https://a.corp/s\n    https://u:secret@b.corp/s\ntimeout = 3",
			"PIP_INDEX_URL=https://pip.corp/simple " +
				"PIP_EXTRA_INDEX_URL=https://a.corp/s https://b.corp/s"},
		{"~/.config/uv/uv.toml", "[[index]]\nname = \"x\"\nurl = \"https://uv.corp/s\" # x",
			"UV_INDEX=https://uv.corp/s"},
		{"~/.config/go/env", "GOPROXY=https://u:secret@go.corp,https://b.corp|direct\n" +
			"GOPRIVATE=corp.example/*\nGOFLAGS=-x",
			"GOPROXY=https://go.corp,https://b.corp|direct GOPRIVATE=corp.example/*"},
		{"~/.config/go/env", "GOPROXY=https://u:secret@go.corp,direct",
			"GOPROXY=https://go.corp,direct"},
		{"~/.cargo/config.toml", "[registries.my-corp]\n" +
			"index = \"sparse+https://crates.corp/i/\"\n[registry]\ndefault = \"my-corp\"\n" +
			"token = \"secret\"",
			"CARGO_REGISTRIES_MY_CORP_INDEX=sparse+https://crates.corp/i/ " +
				"CARGO_REGISTRY_DEFAULT=my-corp"},
		{"~/.m2/settings.xml", "<url>https://mvn.corp/</url>", ""},
	} {
		got := ""
		for _, g := range Registries() {
			for _, s := range g.Settings {
				if s.File == tt.file && got == "" {
					got = strings.Join(s.Given(tt.text), " ")
				}
			}
		}
		if got != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.file, tt.text, got, tt.want)
		}
		if strings.Contains(got, "secret") {
			t.Errorf("%q: %q", tt.text, got)
		}
	}
}
