package session

import (
	"errors"
	"testing"
	"time"
)

// The table is a session of a starter (1) and two people (2, 3): C-8.2.2, E-tko-1.
func TestLease(t *testing.T) {
	var l Lease
	l.Idle = time.Minute
	now := time.Unix(0, 0)
	if err := l.Admit(0, 0, now); !errors.Is(err, ErrNotDriving) {
		t.Errorf("the zero lease admits: %v", err)
	}
	l.Start(1)
	old := l.Epoch()
	steps := []struct {
		name   string
		do     func() error
		want   error
		driver int
		frozen bool
	}{
		{"the starter types", func() error { return l.Admit(1, l.Epoch(), now) }, nil, 1, false},
		{"a viewer types", func() error { return l.Admit(2, l.Epoch(), now) }, ErrNotDriving, 1,
			false},
		{"a viewer gives what it has not", func() error { return l.Give(2, l.Epoch()) },
			ErrNotDriving, 1, false},
		{"a person takes over", func() error { return l.Take(2, "ann", now) }, nil, 2, false},
		{"the starter's keys come late", func() error { return l.Admit(1, old, now) },
			ErrNotDriving, 2, false},
		{"the starter guesses the epoch", func() error { return l.Admit(1, l.Epoch(), now) },
			ErrNotDriving, 2, false},
		{"the person's keys of before", func() error { return l.Admit(2, old, now) }, ErrStale, 2,
			false},
		{"a second person is too late", func() error { return l.Take(3, "bob", now) },
			&TakenError{}, 2, false},
		{"freeze", func() error { l.Freeze(); return l.Admit(2, l.Epoch(), now) }, ErrFrozen, 0,
			true},
		{"nobody else takes it then", func() error { return l.Take(3, "bob", now) }, &TakenError{},
			0, true},
		{"go on", func() error { l.Thaw(now); return l.Admit(2, l.Epoch(), now) }, nil, 2, false},
		{"give back with an old number", func() error { return l.Give(2, old) }, ErrStale, 2,
			false},
		{"give back", func() error { return l.Give(2, l.Epoch()) }, nil, 1, false},
		{"take again", func() error { return l.Take(3, "bob", now) }, nil, 3, false},
		{"not idle yet", func() error { l.Expire(now.Add(59 * time.Second)); return nil }, nil, 3,
			false},
		{"idle: frozen, and not the starter's",
			func() error { l.Expire(now.Add(time.Minute)); return l.Admit(1, l.Epoch(), now) },
			ErrFrozen, 0, true},
		{"take out of frozen", func() error { return l.Take(2, "ann", now) }, nil, 2, false},
		{"lost: frozen", func() error { l.Leave(2); return nil }, nil, 0, true},
		{"take and give", func() error { _ = l.Take(2, "ann", now); return l.Give(2, l.Epoch()) },
			nil, 1, false},
		{"the starter is gone", func() error { l.Leave(1); return l.Admit(1, l.Epoch(), now) },
			ErrNotDriving, 0, false},
		{"alone, a lease does not end",
			func() error { _ = l.Take(2, "ann", now); l.Expire(now.Add(time.Hour)); return nil },
			nil, 2, false},
		{"and a loss freezes nothing", func() error { l.Leave(2); return nil }, nil, 0, false},
	}
	for _, s := range steps {
		before := l.Epoch()
		err := s.do()
		var taken *TakenError
		if _, isTaken := s.want.(*TakenError); isTaken {
			if !errors.As(err, &taken) || taken.By != "ann" {
				t.Errorf("%s: %v, want to be told who has it", s.name, err)
			}
		} else if !errors.Is(err, s.want) {
			t.Errorf("%s: %v, want %v", s.name, err, s.want)
		}
		if l.Driver() != s.driver || l.Frozen() != s.frozen {
			t.Errorf("%s: driver %d frozen %v, want %d %v", s.name, l.Driver(), l.Frozen(),
				s.driver, s.frozen)
		}
		if l.Epoch() < before {
			t.Errorf("%s: the epoch went back", s.name)
		}
	}
}
