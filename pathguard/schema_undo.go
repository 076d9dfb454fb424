package pathguard

import (
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

func readUndoKeep(d *decoder, n *yaml.Node) (err error) {
	if days, ok := strings.CutSuffix(n.Value, "d"); ok && n.Kind == yaml.ScalarNode {
		count, bad := strconv.ParseUint(days, 10, 12)
		if bad != nil || count == 0 {
			return d.fail(n, "must be a time such as 7d or 12h, not %q", shown(n))
		}
		d.set.Undo.Keep = time.Duration(count) * 24 * time.Hour
		return nil
	}
	v, err := d.span(n)
	d.set.Undo.Keep = time.Duration(v)
	return err
}

// undoSize reads a number of bytes, which may be 0.
func undoSize(field func(*Undo) *int64) form {
	return form{func(d *decoder, n *yaml.Node) (err error) {
		if n.Kind == yaml.ScalarNode && n.Value == "0" {
			*field(&d.set.Undo) = -1
			return nil
		}
		*field(&d.set.Undo), err = d.size(n)
		return err
	}, func(s Settings) any {
		u := s.Undo.inForce()
		if v := *field(&u); v != 0 {
			return sizeText(v)
		}
		return 0
	}, nil}
}

func undoForms() map[string]form {
	return map[string]form{
		"undo.keep": {readUndoKeep,
			func(s Settings) any { return spanText(s.Undo.inForce().Keep) }, nil},
		"undo.quota": undoSize(func(u *Undo) *int64 { return &u.Quota }),
		"undo.file":  undoSize(func(u *Undo) *int64 { return &u.File }),
		"undo.replaces_approval": boolean(false,
			func(s *Settings) *bool { return &s.Undo.AsksAnyway }),
		"undo.except": listForm((*decoder).path,
			func(s *Settings) *[]string { return &s.Undo.Except }),
	}
}
