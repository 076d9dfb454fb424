package pathguard

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Limits bound one run. Zero is no limit of this kind.
type Limits struct {
	Time      time.Duration // of the wall clock, from the start of the command
	CPU       time.Duration // of one process, user and system (RLIMIT_CPU: full seconds)
	Memory    int64         // bytes of the whole tree
	Processes int           // in the whole tree, threads counted
	Output    int64         // bytes of what the run writes to its terminal and pipes
	FileSize  int64         // bytes of one file (RLIMIT_FSIZE)
	OpenFiles int           // descriptors of one process (RLIMIT_NOFILE)
}

var (
	environmentKeys = []key{{"keep", readKeep}}
	limitsKeys      = []key{
		{"time", span(func(l *Limits) *time.Duration { return &l.Time })},
		{"cpu", span(func(l *Limits) *time.Duration { return &l.CPU })},
		{"memory", size(func(l *Limits) *int64 { return &l.Memory })},
		{"processes", count(func(l *Limits) *int { return &l.Processes })},
		{"output", size(func(l *Limits) *int64 { return &l.Output })},
		{"file_size", size(func(l *Limits) *int64 { return &l.FileSize })},
		{"open_files", count(func(l *Limits) *int { return &l.OpenFiles })},
	}
)

// readKeep reads names of environment variables. One * may stand at the end of a name; alone
// it would keep everything, secrets included, and is refused.
func readKeep(d *decoder, n *yaml.Node) (err error) {
	d.set.KeepEnv, err = d.list(n, func(item *yaml.Node) (string, error) {
		if !variable(item.Value) {
			return "", d.fail(item, "must be the name of a variable, with a * at its end or without, not %q", shown(item))
		}
		return item.Value, nil
	})
	return err
}

func variable(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		digit := '0' <= c && c <= '9' && i > 0
		star := c == '*' && i > 0 && i == len(name)-1
		if !letter && !digit && !star {
			return false
		}
	}
	return name != ""
}

func span(field func(*Limits) *time.Duration) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) error {
		v, err := time.ParseDuration(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < time.Second {
			return d.fail(n, "must be a time of at least 1s, such as 90s, 10m or 2h, not %q", shown(n))
		}
		*field(&d.set.Limits) = v
		return nil
	}
}

func count(field func(*Limits) *int) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) error {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < 1 {
			return d.fail(n, "must be a number above 0, not %q", shown(n))
		}
		*field(&d.set.Limits) = v
		return nil
	}
}

// units are those of systemd.syntax(7) and of docker: powers of 1024.
var units = map[string]int64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

func size(field func(*Limits) *int64) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) error {
		parts := regexp.MustCompile(`^([0-9]{1,12})([KMGT]?)$`).FindStringSubmatch(n.Value)
		if n.Kind != yaml.ScalarNode || parts == nil {
			return d.fail(n, "must be a number of bytes, such as 500M or 4G, not %q", shown(n))
		}
		v, _ := strconv.ParseInt(parts[1], 10, 64)
		if v = v * units[parts[2]]; v < 1 || v > 1<<50 {
			return d.fail(n, "must be between 1 and 1024T bytes, not %q", shown(n))
		}
		*field(&d.set.Limits) = v
		return nil
	}
}

// strictest takes the lower of two limits, where 0 is none.
func (l Limits) strictest(add Limits) Limits {
	return Limits{
		Time: lower(l.Time, add.Time), CPU: lower(l.CPU, add.CPU), Memory: lower(l.Memory, add.Memory),
		Processes: lower(l.Processes, add.Processes), Output: lower(l.Output, add.Output),
		FileSize: lower(l.FileSize, add.FileSize), OpenFiles: lower(l.OpenFiles, add.OpenFiles),
	}
}

func lower[N int | int64 | time.Duration](a, b N) N {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// String lists the limits that are set, in the words of the configuration.
func (l Limits) String() string {
	var b strings.Builder
	put := func(name string, set bool, value any) {
		if set {
			fmt.Fprintf(&b, "%s: %v, ", name, value)
		}
	}
	put("time", l.Time > 0, l.Time)
	put("cpu", l.CPU > 0, l.CPU)
	put("memory", l.Memory > 0, l.Memory)
	put("processes", l.Processes > 0, l.Processes)
	put("output", l.Output > 0, l.Output)
	put("file_size", l.FileSize > 0, l.FileSize)
	put("open_files", l.OpenFiles > 0, l.OpenFiles)
	return "{" + strings.TrimSuffix(b.String(), ", ") + "}"
}
