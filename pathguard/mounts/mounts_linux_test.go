package mounts

import (
	"slices"
	"testing"
)

// A device that is mounted twice gives each of its files two names; what another mount covers has
// one less.
func TestOthers(t *testing.T) {
	m := parseMounts(`20 1 8:1 / / rw - ext4 /dev/sda1 rw
21 20 8:2 / /home rw - ext4 /dev/sda2 rw
22 20 8:2 /dev/my\040notes /mnt rw - ext4 /dev/sda2 rw
23 20 8:3 / /mnt/covered rw - ext4 /dev/sda3 rw
`)
	for path, want := range map[string][]string{
		"/home/dev/my notes/a":       {"/mnt/a"},
		"/mnt/a":                     {"/home/dev/my notes/a"},
		"/home/dev/my notes/covered": nil,
		"/home/dev/other":            nil,
		"/etc":                       nil,
	} {
		if names, _ := m.Others(path); !slices.Equal(names, want) {
			t.Errorf("%s: %q, want %q", path, names, want)
		}
	}
	if _, parts := m.Others("/home/dev"); !slices.Equal(parts, []string{"/mnt"}) {
		t.Errorf("parts of /home/dev: %q", parts)
	}
	if below := m.Below("/"); !slices.Equal(below, []string{"/home", "/mnt"}) {
		t.Errorf("below /: %q", below)
	}
}
