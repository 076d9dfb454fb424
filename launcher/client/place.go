package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tada-run/tada-run/launcher/state"
)

// A place is the session's own folder being filled. What ran in an earlier session has
// written there, so every name is looked up below the folder and leads nowhere else.
type place struct {
	c    *Client
	root *os.Root
}

// Furnish makes the session's own folder, puts in it what the table says, and returns its real
// name.
func (c *Client) Furnish() (real string, err error) {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the session: %w", err)
	}
	if real, err = filepath.EvalSymlinks(c.dir); err != nil {
		return "", err
	}
	info, err := os.Lstat(real)
	if err == nil {
		err = state.Private(real, info, 0o077)
	}
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return "", err
	}
	defer root.Close()
	p := place{c, root}
	for _, n := range c.needs {
		if err := p.put(n); err != nil {
			return "", fmt.Errorf("put %q into the folder of the session: %w; to begin with an "+
				"empty one: rm -r %q", n.words[0], err, c.dir)
		}
	}
	return real, nil
}

// put does what one line says.
func (p place) put(n need) error {
	to, from := inner(n.words[0]), p.c.outer(n.words[0])
	switch n.kind {
	case "home":
		return p.root.MkdirAll(inner(n.words[1]), 0o700)
	case "unpacks":
		return p.root.MkdirAll(unpacked, 0o700)
	case "copy":
		return p.write(to, p.c.files.read(from))
	case "link":
		return p.link(to, from, p.c.files.may(from))
	case "login":
		return p.link(to, from, slices.Contains(p.c.Logins, from))
	case "seed":
		return p.seed(n)
	case "rest":
		return p.rest(to, from, n.list(1))
	}
	return nil
}

// write writes a file if its text differs; without a text it removes the file.
func (p place) write(to string, text []byte) error {
	if info, err := p.root.Lstat(to); err == nil && info.Mode().IsRegular() && text != nil {
		if have, err := p.root.ReadFile(to); err == nil && bytes.Equal(have, text) {
			return nil
		}
	}
	if err := p.root.RemoveAll(to); err != nil && !errors.Is(err, fs.ErrNotExist) || text == nil {
		return err
	}
	if err := p.root.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	f, err := p.root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// link makes a link, or takes away one that leads nowhere any more. What the agent has made itself
// stays where the person has nothing.
func (p place) link(to, from string, there bool) error {
	have, err := p.root.Readlink(to)
	if there && err == nil && have == from {
		return nil
	}
	if there || err == nil {
		if err := p.root.RemoveAll(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if !there {
		return nil
	}
	if err := p.root.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return p.root.Symlink(from, to)
}

// seed writes the first content of a file that the program keeps by itself from then on.
func (p place) seed(n need) error {
	to := inner(n.words[1])
	if _, err := p.root.Lstat(to); err == nil {
		return nil
	}
	var all, some map[string]json.RawMessage
	for _, name := range []string{p.c.outer(n.words[1]), p.c.outer(n.words[0])} {
		if text := p.c.files.read(name); text != nil && json.Unmarshal(text, &all) == nil {
			break
		}
	}
	some = map[string]json.RawMessage{}
	for _, key := range n.list(2) {
		if value, ok := all[key]; ok {
			some[key] = value
		}
	}
	if len(some) == 0 {
		return nil
	}
	text, err := json.Marshal(some)
	if err != nil {
		return err
	}
	return p.write(to, text)
}

// maxRest bounds the links to what else is in a folder.
const maxRest = 1000

// rest links what else is in a folder of the person's.
func (p place) rest(to, from string, but []string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return nil // there is nothing
	}
	if err := p.root.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, e := range entries[:min(len(entries), maxRest)] {
		name := filepath.Join(to, e.Name())
		if _, err := p.root.Lstat(name); err == nil || slices.Contains(but, e.Name()) {
			continue
		}
		if err := p.root.Symlink(filepath.Join(from, e.Name()), name); err != nil {
			return err
		}
	}
	return nil
}
