package hosts

import (
	"maps"
	"slices"
	"sync"
)

// Registries are the hosts that package tools fetch from when nothing else is configured.
// network.registries lets a tool reach its own.
var Registries = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"npm":   {"registry.npmjs.org:443"},
		"yarn":  {"registry.yarnpkg.com:443", "registry.npmjs.org:443"},
		"jsr":   {"jsr.io:443", "npm.jsr.io:443", "deno.land:443"},
		"pip":   {"pypi.org:443", "files.pythonhosted.org:443"},
		"conda": {"conda.anaconda.org:443", "repo.anaconda.com:443"},
		"go":    {"proxy.golang.org:443", "sum.golang.org:443"},
		"cargo": {"index.crates.io:443", "static.crates.io:443", "crates.io:443"},
		"gem":   {"rubygems.org:443", "index.rubygems.org:443"},
		"php":   {"repo.packagist.org:443", "packagist.org:443"},
		"maven": {"repo.maven.apache.org:443", "repo1.maven.org:443", "plugins.gradle.org:443",
			"services.gradle.org:443"},
		"nuget": {"api.nuget.org:443"},
		"hex":   {"repo.hex.pm:443", "hex.pm:443"},
		"apt": {"deb.debian.org:80", "deb.debian.org:443", "security.debian.org:80",
			"archive.ubuntu.com:80", "security.ubuntu.com:80", "*.archive.ubuntu.com:80"},
		"apk": {"dl-cdn.alpinelinux.org:443"},
	}
})

// Fetchers are the programs that ask each registry.
var Fetchers = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"npm": {"npm"}, "npx": {"npm"}, "pnpm": {"npm"}, "pnpx": {"npm"}, "yarn": {"yarn"},
		"yarnpkg": {"yarn"},
		"bun":     {"npm"}, "bunx": {"npm"}, "deno": {"jsr", "npm"}, "corepack": {"npm", "yarn"},
		"pip": {"pip"}, "pip3": {"pip"}, "pipx": {"pip"}, "uv": {"pip"}, "uvx": {"pip"},
		"poetry": {"pip"}, "pdm": {"pip"},
		"pipenv": {"pip"}, "tox": {"pip"}, "nox": {"pip"},
		"conda": {"conda"}, "mamba": {"conda"}, "micromamba": {"conda"}, "go": {"go"},
		"cargo": {"cargo"}, "gem": {"gem"},
		"bundle": {"gem"}, "bundler": {"gem"},
		"composer": {"php"}, "mvn": {"maven"}, "gradle": {"maven"}, "gradlew": {"maven"},
		"mvnw":   {"maven"},
		"dotnet": {"nuget"}, "nuget": {"nuget"}, "mix": {"hex"},
		"apt": {"apt"}, "apt-get": {"apt"}, "apk": {"apk"},
	}
})

func Names() []string { return slices.Sorted(maps.Keys(Registries())) }
