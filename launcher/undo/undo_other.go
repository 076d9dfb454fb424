//go:build !linux

package undo

// A Journal is that of a run that goes on.
type Journal struct{}

func Open(string, Options) (*Store, error) { return nil, ErrUnavailable }

func (s *Store) Begin(Start) (*Journal, error) { return nil, ErrUnavailable }

func (j *Journal) Folders() []string { return nil }

func (j *Journal) Make(int, string, string) error { return ErrUnavailable }

func (j *Journal) Remove(int, string, string) error { return ErrUnavailable }

func (j *Journal) Move(int, string, string, int, string, string, bool) error {
	return ErrUnavailable
}

func (j *Journal) Write(int, string) error { return ErrUnavailable }

func (j *Journal) Mark(int, string) error { return ErrUnavailable }

func (j *Journal) Close(End) (Summary, error) { return Summary{}, ErrUnavailable }
