package state

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What a process leaves that dies while it replaces a file is removed when it is old, and nothing
// else is.
func TestRemoveDrafts(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{
		".new-index.17": 2 * time.Hour, ".new-5.zst": -2 * time.Hour,
		".new-verified.3": time.Minute,
		"index":           9000 * time.Hour, "config.yaml.20260301": 9000 * time.Hour,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	RemoveDrafts(now, filepath.Join(dir, "missing"), dir)
	list, err := os.ReadDir(dir)
	var left []string
	for _, e := range list {
		left = append(left, e.Name())
	}
	if got := strings.Join(left, " "); err != nil ||
		got != ".new-verified.3 config.yaml.20260301 index" {
		t.Errorf("%s, %v", got, err)
	}
	if err := Replace(filepath.Join(dir, "index"), []byte("x")); err != nil {
		t.Error(err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != len(list) {
		t.Errorf("%d files after Replace, %v", len(all), err)
	}
}
