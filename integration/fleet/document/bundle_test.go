package document

import (
	"errors"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
)

// A bundle is read as it was written, and counts only by an administrator of its own fleet.
func TestBundle(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	b := Bundle{Fleet: "acme", Name: "base", Version: 7, Stage: Shadow,
		Machines: selector(t, "env=ci"), Text: "background: end\n\u00e4\x01\n"}
	text, err := b.Sign(m.ann)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Bundle(text)
	if err != nil || got.Text != b.Text || got.Version != 7 || got.Stage != Shadow ||
		got.Machines.String() != "env=ci" || got.By[0] != "ann" || VersionOf(text) != 7 {
		t.Errorf("%+v, %v", got, err)
	}
	for name, key := range map[string]approval.Key{"no administrator": m.eve,
		"the registrar": m.registrar} {
		text, err := b.Sign(key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Bundle(text); !errors.Is(err, ErrUnsigned) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := b
	other.Fleet = "other"
	if text, err = other.Sign(m.ann); err == nil {
		_, err = m.Bundle(text)
	}
	if err == nil || !strings.Contains(err.Error(), `of fleet "other"`) {
		t.Errorf("another fleet: %v", err)
	}
	thaw, err := Thaw{ID: "f1"}.Sign(m.ann)
	if err == nil {
		_, err = m.Bundle(thaw)
	}
	if !errors.Is(err, approval.ErrMalformed) {
		t.Errorf("another kind: %v", err)
	}
}

func TestBundleRefused(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	for name, change := range map[string]func(*Bundle){
		"a path":        func(b *Bundle) { b.Name = "../base" },
		"a dot":         func(b *Bundle) { b.Name = "base.shadow" },
		"no name":       func(b *Bundle) { b.Name = "" },
		"a long name":   func(b *Bundle) { b.Name = strings.Repeat("a", 33) },
		"no version":    func(b *Bundle) { b.Version = 0 },
		"no stage":      func(b *Bundle) { b.Stage = "" },
		"another stage": func(b *Bundle) { b.Stage = "off" },
		"a huge text":   func(b *Bundle) { b.Text = strings.Repeat("#", MaxPolicy+1) },
		"not UTF-8":     func(b *Bundle) { b.Text = "\xff" },
	} {
		b := Bundle{Fleet: "acme", Name: "base", Version: 1, Stage: Force, Machines: Everywhere()}
		change(&b)
		if _, err := b.Sign(m.ann); err == nil {
			t.Errorf("%s is signed", name)
		}
	}
	most := Bundle{Fleet: "acme", Name: "base", Version: 1, Stage: Force, Machines: Everywhere(),
		Text: strings.Repeat("\x01", MaxPolicy)}
	text, err := most.Sign(m.ann)
	if err == nil {
		_, err = m.Bundle(text)
	}
	if err != nil {
		t.Errorf("the longest text: %v", err)
	}
}
