package platform

import (
	"strings"

	"github.com/tada-run/tada-run/integration/hook"
)

// All returns the adapters.
func All() []hook.Adapter {
	return []hook.Adapter{claudeCode(), codex(), openCode(), gemini(), qwen(), copilot(), cursor(),
		kilo(), droid(), cline(), pi()}
}

// Named returns the adapter of a platform, and false for an unknown one.
func Named(name string) (hook.Adapter, bool) {
	for _, a := range All() {
		if a.Name == name {
			return a, true
		}
	}
	return hook.Adapter{}, false
}

// Names returns the platforms, for a message.
func Names() string {
	var names []string
	for _, a := range All() {
		names = append(names, a.Name)
	}
	return strings.Join(names, "|")
}
