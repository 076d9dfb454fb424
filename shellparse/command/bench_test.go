package command

import "testing"

// BenchmarkMatch is what one simple command costs: find the entry, parse it, read argv.
func BenchmarkMatch(b *testing.B) {
	for _, line := range []string{
		"ls -la src", "git status", "git worktree list", "grep -rn x src", "rm -rf build",
		"sed -n 1,3p f", "docker run --rm -v ./src:/src node npm test", "curl -s localhost:8080",
		"find . -name '*.go' -exec grep -l foo {} +", "unknown-program --x=1 a/b",
	} {
		args := argv(line)
		b.Run(line, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s, _ := Lookup(args[0].Text)
				s.Match(args)
			}
		})
	}
}

func BenchmarkLookupMiss(b *testing.B) {
	for b.Loop() {
		Lookup("no-such-program")
	}
}
