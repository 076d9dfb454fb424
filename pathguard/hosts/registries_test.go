package hosts

import (
	"fmt"
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
		"go test ./...": "go", "go run .": "go", "cargo +nightly build": "cargo",
		"cargo test": "cargo", "go version": "", "cargo clean": "", "yarn publish": "yarn",
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

// The hosts that files of the workspace name, in the formats of their tools.
func TestNamedInTheWorkspace(t *testing.T) {
	for _, tt := range []struct{ file, text, want string }{
		{"package-lock.json", `"node_modules/a": {
      "resolved": "https://evil.test/a.tgz",
      "homepage": "https://no.test"
    "resolved": "git+ssh://git@host.test/u/r.git#0123",`, "evil.test:443 host.test:22"},
		{"yarn.lock", "a@1:\n  version \"1\"\n  resolved \"https://y.test/a.tgz#01\"\n" +
			"\"b@https://z.test/b.git\":\n  resolution: \"b@https://z.test/b.git#commit=01\"\n" +
			"  resolution: \"http-proxy@npm:1.0.0\"\n", "y.test:443 z.test:443"},
		{"pnpm-lock.yaml", "  a@1:\n    resolution: {integrity: sha512-x}\n" +
			"    resolution: {tarball: https://p.test/a.tgz}\n", "p.test:443"},
		{"bun.lock", "  \"packages\": {\n    \"a\": [\"a@1\", \"https://b.test/a.tgz\", {}],\n",
			"b.test:443"},
		{"deno.lock", "  \"remote\": {\n    \"https://d.test/x.ts\": \"0123\"\n", "d.test:443"},
		{"requirements.txt", "# https://no.test\n-i https://i.test/simple\na==1\n" +
			"b @ git+https://g.test/b.git\nhttps://w.test/c.whl\n-e git+git://o.test/d\n",
			"i.test:443 g.test:443 w.test:443 o.test:9418"},
		{"uv.lock", "[[package]]\nsource = { registry = \"https://u.test/simple\" }\n" +
			"sdist = { url = \"https://s.test/a.tar.gz\", size = 1 }\nwheels = [\n" +
			"    { url = \"https://w.test/a.whl\" },\n]\nsource = { git = \"https://g.test/x\" }\n",
			"u.test:443 s.test:443 w.test:443 g.test:443"},
		{"poetry.lock", "[package.source]\ntype = \"git\"\nurl = \"https://p.test/x.git\"\n",
			"p.test:443"},
		{"pyproject.toml", "[project.urls]\nHomepage = \"https://no.test\"\n" +
			"[[tool.uv.index]]\nurl = \"https://i.test/simple\"\n", "i.test:443"},
		{"Cargo.lock", "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n" +
			"source = \"git+https://c.test/x?branch=y#01\"\n" +
			"source = \"sparse+https://s.test/i/\"\n", "c.test:443 s.test:443"},
		{"Gemfile.lock", "GEM\n  remote: https://g.test/\n  specs:\n", "g.test:443"},
		{"Gemfile", "source 'https://g.test'\n", "g.test:443"},
		{"build.gradle", "repositories {\n  maven { url 'https://m.test/r' }\n" +
			"  maven {\n    url = uri(\"https://n.test\")\n", "m.test:443 n.test:443"},
		{"NuGet.Config", "  <add key=\"x\" value=\"https://n.test/v3\" />\n", "n.test:443"},
		{"environment.yml", "channels:\n  - https://c.test/x\n  - defaults\n", "c.test:443"},
	} {
		var got []string
		for _, g := range Registries() {
			for _, s := range g.Settings {
				if s.File == "./"+tt.file && got == nil {
					got = s.Named(tt.text)
				}
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.file, got, tt.want)
		}
	}
}

// A file that names very many hosts takes no time, and those that count are bounded.
func TestNamedInBulk(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "registry=https://h%d.test/\n", i)
	}
	s := Setting{File: "./.npmrc", Keys: []string{"registry"}}
	if got := s.Named(b.String()); len(got) != maxNamed || got[1] != "h1.test:443" {
		t.Errorf("%d: %q", len(got), got)
	}
}
