package pathguard

import (
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// cacheTable are the folders of a home that package managers and compilers fill: the only ones in
// ~/.cache, ~/.local/share, ~/.local/state and their like that a sandbox may write without a
// question. The rest is home, because start-up files of shells are there too
// (p10k-instant-prompt-*.zsh, starship, gitstatus). Losing one costs a download.
//
// A line is a folder, what is in it, and the programs that use it. "code" runs in every project,
// outside of any sandbox too: package managers have to write there, but a command line that names a
// file in one means something else, and asks.
const cacheTable = `
~/go/pkg                      code  go gopls golangci-lint staticcheck
~/.cache/go-build             code  go gopls golangci-lint staticcheck
~/.cache/gopls                data  gopls
~/.cache/goimports            data  goimports
~/.cache/golangci-lint        data  golangci-lint
~/.cache/staticcheck          data  staticcheck
~/.cache/govulncheck          data  govulncheck
~/.cache/tinygo               code  tinygo

~/.npm                        code  npm npx node
~/.cache/node                 code  corepack node npm npx yarn pnpm
~/.cache/node-gyp             code  node-gyp npm npx yarn pnpm
~/.node-gyp                   code  node-gyp
~/.cache/yarn                 code  yarn
~/.yarn/cache                 code  yarn
~/.yarn/berry                 code  yarn
~/.cache/pnpm                 code  pnpm pnpx
~/.local/share/pnpm/store     code  pnpm pnpx
~/.pnpm-store                 code  pnpm pnpx
~/.local/state/pnpm           data  pnpm pnpx
~/.bun/install/cache          code  bun bunx
~/.cache/deno                 code  deno
~/.deno                       code  deno
~/.cache/esbuild              code  esbuild
~/.cache/next-swc             code  next
~/.cache/turbo                code  turbo
~/.cache/typescript           code  typescript-language-server
~/.cache/prisma               code  prisma npm npx yarn pnpm bun
~/.cache/prisma-nodejs        code  prisma npm npx yarn pnpm bun
~/.cache/ms-playwright        code  playwright npm npx yarn pnpm bun
~/.cache/ms-playwright-go     code  playwright
~/.cache/puppeteer            code  puppeteer npm npx yarn pnpm bun
~/.cache/Cypress              code  cypress npm npx yarn pnpm bun
~/.cache/selenium             code  selenium-manager
~/.wdm                        code  webdriver-manager
~/.cache/electron             code  electron npm npx yarn pnpm bun
~/.cache/electron-builder     code  electron-builder
~/.electron                   code  electron
~/.cache/firebase             code  firebase

~/.cache/pip                  code  pip pip3 python python3 tox nox pipx poetry
~/.cache/pip-tools            code  pip-compile pip-sync
~/.cache/uv                   code  uv uvx
~/.cache/pypoetry             code  poetry
~/.cache/pdm                  code  pdm
~/.cache/hatch                code  hatch
~/.cache/pipenv               code  pipenv
~/.cache/virtualenv           code  virtualenv tox nox
~/.cache/rattler              code  pixi
~/.conda/pkgs                 code  conda mamba
~/.cache/pre-commit           code  pre-commit
~/.cache/prek                 code  prek
~/.cache/pants                code  pants
~/.cache/nce                  code  pants
~/.cache/ruff                 data  ruff
~/.cache/mypy                 data  mypy
~/.cache/mypy_cache           data  mypy
~/.cache/pytest               data  pytest
~/.cache/black                data  black
~/.cache/pylint               data  pylint
~/.cache/yapf                 data  yapf
~/.cache/jedi                 data  jedi-language-server
~/.cache/matplotlib           data  matplotlib python python3 pytest
~/.cache/huggingface          code  huggingface-cli hf
~/.cache/torch                code  torchrun
~/.cache/torch_extensions     code  torchrun
~/.cache/whisper              data  whisper
~/.cache/kagglehub            data  kaggle
~/.triton                     code  triton
~/.nv/ComputeCache            code  nvcc

~/.cargo/registry             code  cargo rustup
~/.cargo/git                  code  cargo
~/.rustup/downloads           code  rustup
~/.rustup/tmp                 code  rustup
~/.cache/.wasm-pack           code  wasm-pack
~/.cache/trunk                code  trunk
~/.cache/sccache              code  sccache
~/.cache/ccache               code  ccache
~/.ccache                     code  ccache
~/.cache/zig                  code  zig
~/.cache/zls                  data  zls
~/.cache/clang                code  clang clang++
~/.cache/clangd               data  clangd
~/.cache/bazel                code  bazel bazelisk
~/.cache/bazelisk             code  bazel bazelisk
~/.cache/vcpkg                code  vcpkg
~/.conan2/p                   code  conan
~/.conan/data                 code  conan
~/.xmake/cache                data  xmake

~/.m2/repository              code  mvn mvnw mvnd java
~/.m2/wrapper                 code  mvn mvnw
~/.gradle/caches              code  gradle gradlew
~/.gradle/wrapper             code  gradle gradlew
~/.gradle/daemon              data  gradle gradlew
~/.gradle/native              code  gradle gradlew
~/.gradle/workers             data  gradle gradlew
~/.gradle/notifications       data  gradle gradlew
~/.gradle/jdks                code  gradle gradlew
~/.gradle/kotlin-profile      data  gradle gradlew
~/.gradle/.tmp                data  gradle gradlew
~/.konan                      code  kotlinc kotlinc-native
~/.ivy2                       code  sbt ivy
~/.sbt/boot                   code  sbt
~/.cache/sbt                  code  sbt
~/.cache/coursier             code  cs coursier sbt scala scala-cli mill
~/.cache/mill                 code  mill

~/.nuget/packages             code  dotnet nuget
~/.local/share/NuGet          data  dotnet nuget
~/.cache/composer             code  composer
~/.composer/cache             code  composer
~/.bundle/cache               code  bundle bundler
~/.gem/specs                  data  gem bundle
~/.local/share/gem/specs      data  gem bundle
~/.cache/gem                  data  gem bundle
~/.cache/rubocop_cache        data  rubocop
~/.cache/solargraph           code  solargraph
~/.hex                        code  mix
~/.mix                        code  mix
~/.cache/rebar3               code  rebar3 mix
~/.cache/elixir_make          code  mix
~/.stack                      code  stack
~/.cabal/packages             code  cabal
~/.cabal/store                code  cabal
~/.cache/cabal                code  cabal
~/.local/state/cabal          code  cabal
~/.cache/hie-bios             data  haskell-language-server
~/.cache/ghcide               data  haskell-language-server
~/.cache/dune                 code  dune opam
~/.opam/download-cache        code  opam
~/.pub-cache                  code  dart flutter pub
~/.dartServer                 data  dart flutter
~/.cache/nim                  code  nim nimble
~/.nimble/pkgs2               code  nimble
~/.cache/crystal              code  crystal
~/.cache/shards               code  shards
~/.cache/luarocks             code  luarocks
~/.cpanm/work                 code  cpanm
~/.cpan/build                 code  cpan
~/.cpan/sources               code  cpan
~/.julia/packages             code  julia
~/.julia/compiled             code  julia
~/.julia/artifacts            code  julia
~/.julia/registries           data  julia
~/.julia/scratchspaces        data  julia
~/.julia/logs                 data  julia
~/.cache/R                    code  R Rscript
~/.cache/org.swift.swiftpm    code  swift
~/.swiftpm/cache              code  swift

~/.terraform.d/plugin-cache   code  terraform tofu
~/.cache/helm                 code  helm
~/.cache/act                  code  act
~/.cache/trivy                data  trivy
~/.cache/grype                data  grype
~/.cache/nix                  data  nix
~/.cache/fontconfig           data  fc-cache
~/.cache/mesa_shader_cache    data  glxinfo
~/.cache/mesa_shader_cache_db data  glxinfo
~/.cache/radv_builtin_shaders data  vulkaninfo
~/.cache/nvidia               data  nvidia-smi
~/.cache/gstreamer-1.0        data  gst-inspect-1.0
`

// A cache is a line of cacheTable.
type cache struct {
	name     string
	code     bool
	programs string // with blanks between
}

// caches is cacheTable with the caches of agents, read once.
var caches = sync.OnceValue(func() []cache {
	all := make([]cache, 0, 192)
	add := func(line string) {
		name, rest, ok := strings.Cut(line, " ")
		if what, programs, _ := strings.Cut(strings.TrimLeft(rest, " "), " "); ok {
			all = append(all, cache{name, what == "code", strings.TrimSpace(programs)})
		}
	}
	for line := range strings.Lines(cacheTable) {
		add(line)
	}
	for f := range agents.Of("cache") {
		add(f.Text())
	}
	return all
})

// cacheNames are the folders of the caches, and those of them that hold code.
func cacheNames() (all, code []string) {
	list := caches()
	both := make([]string, 0, 2*len(list))
	for i := range list {
		both = append(both, list[i].name)
	}
	for i := range list {
		if list[i].code {
			both = append(both, list[i].name)
		}
	}
	return both[:len(list):len(list)], both[len(list):]
}
