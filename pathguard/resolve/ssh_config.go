package resolve

import (
	"path"
	"strconv"
	"strings"
)

// An sshConfig is what settings of ssh(1) say about one host. The first value of a keyword counts
// (ssh_config(5)).
type sshConfig struct {
	host  string
	first map[string]string
}

// read adds a file. Lines below Match depend on more than the name, and are left out.
func (c *sshConfig) read(text string) {
	if c.first == nil {
		c.first = map[string]string{}
	}
	applies := true
	for line := range strings.Lines(text) {
		fields := strings.FieldsFunc(line, func(r rune) bool {
			return r == ' ' || r == '\t' || r == '=' || r == '"' || r == '\n' || r == '\r'
		})
		if len(fields) < 2 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		switch key := strings.ToLower(fields[0]); key {
		case "host":
			applies = c.fits(fields[1:])
		case "match":
			applies = len(fields) == 2 && strings.EqualFold(fields[1], "all")
		default:
			if _, known := c.first[key]; applies && !known {
				c.first[key] = fields[1]
			}
		}
	}
}

// fits reports whether a line of Host is about the host.
func (c *sshConfig) fits(patterns []string) (fits bool) {
	for _, pattern := range patterns {
		not := strings.HasPrefix(pattern, "!")
		if ok, _ := path.Match(strings.TrimPrefix(pattern, "!"), c.host); ok {
			if fits = true; not {
				return false
			}
		}
	}
	return fits
}

// jumps reports whether the host is reached by another one, or by a program.
func (c *sshConfig) jumps() bool {
	for _, key := range []string{"proxyjump", "proxycommand"} {
		if value := c.first[key]; value != "" && !strings.EqualFold(value, "none") {
			return true
		}
	}
	return false
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 65535 {
		return 0
	}
	return n
}
