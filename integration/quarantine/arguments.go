package quarantine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxArguments is the maximum size of the JSON of one call.
const maxArguments = 64 << 10

var errNoObject = errors.New("its arguments are not a JSON object")

// arguments reads a call's arguments: one flat JSON object of strings, numbers and booleans. A
// repeated name is refused, because the program that runs the tool may use the other of the two.
func arguments(text []byte) (map[string]any, error) {
	if len(text) > maxArguments {
		return nil, fmt.Errorf("its arguments have %d bytes", len(text))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errNoObject
	}
	found := map[string]any{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, errNoObject
		}
		value, err := d.Token()
		if err != nil {
			return nil, errNoObject
		}
		if _, nested := value.(json.Delim); nested {
			return nil, fmt.Errorf("argument %s is not a plain value", named(name.(string)))
		}
		if _, twice := found[name.(string)]; twice {
			return nil, fmt.Errorf("argument %s occurs twice", named(name.(string)))
		}
		found[name.(string)] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, errNoObject
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("its arguments are followed by other text")
	}
	return found, nil
}

// A shape says what a tool's arguments may be. An argument that it does not name is refused: a new
// argument of a platform may be a new way to name a file or a program.
type shape struct {
	// names of the argument with the path; the first one present counts, and there may be no second
	path    []string
	text    []string // what is looked for
	glob    []string // names of files as patterns
	setting []string // how much of it, and how it is shown
}

var shapes = map[string]shape{
	"Read": {
		path:    []string{"file_path", "filePath", "absolute_path", "path"},
		setting: []string{"offset", "limit", "pages"},
	},
	"Grep": {
		path: []string{"path", "dir_path"}, text: []string{"pattern"},
		glob: []string{"glob", "include"},
		setting: []string{"type", "output_mode", "-A", "-B", "-C", "-i", "-n", "-o", "head_limit",
			"offset", "multiline", "context", "case_sensitive"},
	},
	"Glob": {
		path: []string{"path", "dir_path"}, glob: []string{"pattern"},
		setting: []string{"head_limit", "limit", "case_sensitive", "respect_git_ignore"},
	},
}

// place returns the one argument with the path; "" if there is none.
func (s shape) place(args map[string]any) (name, value string, err error) {
	for _, n := range s.path {
		v, ok := args[n]
		if !ok {
			continue
		}
		if name != "" {
			return "", "", fmt.Errorf("it has two locations: %s and %s", name, n)
		}
		if name, value, ok = asText(n, v); !ok {
			return "", "", fmt.Errorf("argument %s is not text", n)
		}
	}
	return name, value, nil
}

func asText(name string, v any) (string, string, bool) {
	text, ok := v.(string)
	return name, text, ok
}

// check refuses arguments that the shape does not name.
func (s shape) check(args map[string]any) error {
	for name, value := range args {
		_, text := value.(string)
		switch {
		case slices.Contains(s.path, name), slices.Contains(s.setting, name):
		case slices.Contains(s.text, name) || slices.Contains(s.glob, name):
			if !text {
				return fmt.Errorf("argument %s is not text", name)
			}
		default:
			return fmt.Errorf("unknown argument %s", named(name))
		}
		if pattern, _ := value.(string); slices.Contains(s.glob, name) && leaves(pattern) {
			return errors.New("its pattern leads outside the searched directory")
		}
	}
	return nil
}

// named returns an argument's name for a reason, which is logged: if it is a word, otherwise
// nothing of it.
func named(name string) string {
	for _, c := range name {
		if c != '_' && c != '-' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') || len(name) > 32 {
			return "of another name"
		}
	}
	return name
}
