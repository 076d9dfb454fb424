//go:build !linux && !darwin

package undo

import (
	"io"
	"time"
)

// A Journal is that of a run that goes on.
type Journal struct{}

// A Run is the journal of a run that has ended.
type Run struct{}

func Open(string, Options) (*Store, error) { return nil, ErrUnavailable }

func (s *Store) Begin(Start) (*Journal, error) { return nil, ErrUnavailable }

func (s *Store) Read(string) (*Run, error) { return nil, ErrUnavailable }

func (s *Store) Runs() ([]Info, error) { return nil, ErrUnavailable }

func (s *Store) Plan(Take) ([]Step, error) { return nil, ErrUnavailable }

func (s *Store) Undo(Take, string) (Result, error) { return Result{}, ErrUnavailable }

func (s *Store) Room() (int64, error) { return 0, ErrUnavailable }

func (s *Store) GC(time.Time, time.Duration) (Freed, error) { return Freed{}, ErrUnavailable }

func (s *Store) Count(time.Time) error { return ErrUnavailable }

func (s *Store) Held() (int64, error) { return 0, ErrUnavailable }

func (s *Store) Place(string) (string, error) { return "", ErrUnavailable }

func (r *Run) Changes() []Change { return nil }

func (r *Run) Summary() Summary { return Summary{} }

func (r *Run) Diff(io.Writer, ...string) error { return ErrUnavailable }

func (j *Journal) Changes() []Change { return nil }

func (j *Journal) Folders() []string { return nil }

func (j *Journal) Follows(*Journal) {}

func (j *Journal) Make(int, string, string) error { return ErrUnavailable }

func (j *Journal) MakeNext(int, string) bool { return false }

func (j *Journal) IsNew(int64) bool { return false }

func (j *Journal) Remove(int, string, string) error { return ErrUnavailable }

func (j *Journal) Move(int, string, string, int, string, string, bool) error {
	return ErrUnavailable
}

func (j *Journal) Write(int, string) error { return ErrUnavailable }

func (j *Journal) Mark(int, string) error { return ErrUnavailable }

func (j *Journal) Close(End) (Summary, error) { return Summary{}, ErrUnavailable }
