package wrapper

import (
	"strings"
	"sync"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// What every command line pays, in a process that has read none before.
func BenchmarkOrdinary(b *testing.B) {
	const text = "rg -n pattern src"
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		forget()
		if _, ok := Find(file, text); ok {
			b.Fatal("it is a wrapper")
		}
	}
}

// forget makes the table unread.
func forget() {
	table = sync.OnceValue(func() []*client {
		list, err := read(source, agents.Of(kinds...))
		if err != nil {
			panic(err)
		}
		return list
	})
}
