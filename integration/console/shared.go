package console

import "sync"

// mostShared is how many things are kept: of the runs that somebody looks at.
const mostShared = 32

// shared are things that several pages show, by name. Each is made once for its version, whoever
// asks, and again for another version.
type shared[T any] struct {
	mu   sync.Mutex
	made map[string]*share[T]
}

type share[T any] struct {
	version string
	once    sync.Once
	value   T
}

// get returns what is made for a version. Others who ask for it meanwhile wait for the same.
func (s *shared[T]) get(name, version string, make func() T) T {
	s.mu.Lock()
	one := s.made[name]
	if one == nil || one.version != version {
		if s.made == nil || len(s.made) >= mostShared {
			s.made = map[string]*share[T]{}
		}
		one = &share[T]{version: version}
		s.made[name] = one
	}
	s.mu.Unlock()
	one.once.Do(func() { one.value = make() })
	return one.value
}

// A drawing is what a transcript of some size shows.
type drawing struct {
	text string
	cut  bool
	why  string
}
