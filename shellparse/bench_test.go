package shellparse

import "testing"

func BenchmarkHuge(b *testing.B) {
	for name, text := range huge(1 << 17) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Parse(text, Options{Dir: "/w"})
			}
		})
	}
}
