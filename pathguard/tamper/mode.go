package tamper

import "fmt"

// Mode returns whether security.tamper_proof is in force, and records its changes. A stricter
// setting takes effect at once. A looser one waits for [Store.ConfirmMode], because a program that
// can change a protected file may be able to change the configuration too; until then pending is
// true.
func (s *Store) Mode(who Who, configured bool) (on, pending bool, err error) {
	m, err := s.load()
	if err != nil {
		return true, false, err
	}
	if next, _ := m.mode.after(configured); next == m.mode {
		return m.mode.on, m.mode.pending, nil
	}
	err = s.update(func(m *manifest) (bool, error) {
		next, text := m.mode.after(configured)
		changed := next != m.mode
		m.mode = next
		if changed && text != "" {
			s.tell(m, who, Event{Action: ActionSetting, Auto: true, Text: text})
		}
		on, pending = next.on, next.pending
		return changed, nil
	})
	if err != nil {
		return true, false, err
	}
	return on, pending, nil
}

// Known returns what [Store.Mode] last returned, without a look at the configuration.
func (s *Store) Known() (on, pending bool, err error) {
	m, err := s.load()
	if err != nil {
		return true, false, err
	}
	return m.mode.on, m.mode.pending, nil
}

// InForce reports whether [Store.Mode] would write nothing for this setting, and would return the
// setting itself.
func (s *Store) InForce(configured bool) bool {
	m, err := s.load()
	return err == nil && m.mode == modeState{known: true, on: configured}
}

// after is the state when the configuration says on, and what to tell of the change.
func (m modeState) after(on bool) (next modeState, told string) {
	switch {
	case !m.known:
		return modeState{known: true, on: on}, ""
	case on && !m.on:
		return modeState{known: true, on: true}, settingText(false, true, "")
	case on:
		return modeState{known: true, on: true}, ""
	case m.on && !m.pending:
		return modeState{known: true, on: true, pending: true},
			settingText(true, false, " (pending: you have to confirm it)")
	}
	return m, ""
}

func settingText(was, now bool, more string) string {
	return fmt.Sprintf("security.tamper_proof: %v -> %v%s", was, now, more)
}

// ConfirmMode lets a looser setting take effect, because a person says so. The error is
// [ErrNoPending] where none waits.
func (s *Store) ConfirmMode(who Who, reason string) error {
	return s.update(func(m *manifest) (bool, error) {
		if !m.mode.pending {
			return false, ErrNoPending
		}
		m.mode = modeState{known: true}
		s.tell(m, who, Event{Action: ActionSetting,
			Text: settingText(true, false, " (confirmed: "+reason+")")})
		return true, nil
	})
}
