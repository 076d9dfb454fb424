package quarantine

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// The limits of a search that is served: it answers an agent, whose context is small.
const (
	maxFound   = 1000    // lines or names
	maxWalked  = 20000   // names looked at
	maxMatched = 1 << 20 // bytes of the answer
)

// Serve is like [Session.Enforce], and also carries out an allowed call: for an agent whose
// platform has no tools, or whose sandbox lets it open nothing. The content comes from the
// descriptor that was opened without following a link.
func (s *Session) Serve(c Call, log *Log) (Decision, []byte) {
	var uri string
	if c.Tool == "Read" {
		if args, err := arguments(c.Input); err == nil {
			_, uri, _ = shapes["Read"].place(args)
		}
	}
	d := s.Enforce(c, log)
	if !d.Allowed {
		return d, nil
	}
	var content []byte
	var err error
	if c.Tool == "Read" {
		_, content, err = s.Read(uri)
	} else {
		content, err = s.search(c.Tool, d.Input)
	}
	if err != nil {
		return denied(shown(err.Error())), nil
	}
	return d, content
}

// search does a Grep or a Glob below the allowed folder.
func (s *Session) search(tool string, args map[string]any) ([]byte, error) {
	where, _ := args["path"].(string)
	if where == "" {
		where, _ = args["dir_path"].(string)
	}
	pattern, _ := args["pattern"].(string)
	if tool == "Glob" {
		return s.walk(where, func(name, below string) ([]byte, error) {
			if !matches(pattern, below) {
				return nil, nil
			}
			return append(appendEscaped(nil, name), '\n'), nil
		})
	}
	if fold, _ := args["-i"].(bool); fold {
		pattern = "(?i)" + pattern
	}
	want, err := regexp.Compile(pattern) // linear in the text, whatever the expression
	if err != nil {
		return nil, fmt.Errorf("invalid regular expression: %w", err)
	}
	glob, _ := args["glob"].(string)
	return s.walk(where, func(name, below string) ([]byte, error) {
		if glob != "" && !matches(glob, below) {
			return nil, nil
		}
		text, err := s.load(name)
		if err == nil {
			s.saw(name)
		}
		if err != nil || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
			return nil, nil // not a plain file, or not text: skipped, as by grep
		}
		return grep(name, text, want), nil
	})
}

func grep(name string, text []byte, want *regexp.Regexp) (out []byte) {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = bytes.TrimRight(line, "\n"); want.Match(line) {
			out = appendEscaped(out, name)
			out = fmt.Appendf(out, ":%d:%s\n", n, line)
		}
	}
	return out
}

// matches matches a glob with "**" for any number of folders.
func matches(pattern, name string) bool {
	if rest, ok := strings.CutPrefix(pattern, "**/"); ok {
		for {
			if matches(rest, name) {
				return true
			}
			_, below, deeper := strings.Cut(name, "/")
			if !deeper {
				return false
			}
			name = below
		}
	}
	if !strings.Contains(pattern, "/") { // a bare pattern is about the last name, as for ripgrep
		name = path.Base(name)
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// walk visits the plain files below where, without following links, and joins what visit returns.
// It skips what the policy forbids.
func (s *Session) walk(where string,
	visit func(name, below string) ([]byte, error)) ([]byte, error) {
	var out []byte
	walked, found := 0, 0
	full := errors.New("there is more; search a narrower directory")
	err := filepath.WalkDir(where, func(name string, d fs.DirEntry, err error) error {
		if walked++; walked > maxWalked || found >= maxFound || len(out) > maxMatched {
			return full
		}
		if err != nil || !d.Type().IsRegular() || s.o.OnlyReferred && !s.referredTo(name) ||
			s.o.MayRead(name) != nil {
			return nil
		}
		if f, err := s.root.content(name); err != nil {
			// the kernel confirms that it is below the root, without links
			return nil
		} else {
			f.Close()
		}
		below := strings.TrimPrefix(strings.TrimPrefix(name, where), string(os.PathSeparator))
		if below == "" {
			below = path.Base(name)
		}
		line, err := visit(name, below)
		out, found = append(out, line...), found+bytes.Count(line, []byte("\n"))
		return err
	})
	if errors.Is(err, full) {
		return append(out, "["+full.Error()+"]\n"...), nil
	}
	return out, err
}
