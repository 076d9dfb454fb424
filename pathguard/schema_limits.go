package pathguard

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// Limits bound one run. In a configuration zero is unset ("auto"), and Unlimited is said to be
// "none". What is unset is limited by the defaults of the machine, which are for programs that have
// gone wild. Processes: the most that is honestly needed is about one thread per processor in each
// of as many compilers, so 256 for each processor, and at least 4096, which is about what systemd
// gives a service. Memory: what is left lets the rest of the machine go on until the sampler has
// looked. The record: a build that prints 64 MiB at once is recorded in full.
//
//	                 default               strong                    base             at the limit
//	Time             none                  timer                     timer            the run is ended, status 124
//	CPU              none                  rlimit, sampled           rlimit, sampled  the run is ended
//	Memory           3/4 of the machine    sampled, size of tmpfs    sampled          the run is ended
//	Processes        4096 or 256 a CPU     sampled, pid_max, rlimit  sampled          the run is ended
//	Inotify          1/2 of the account's  user namespace            sampled          strong: EMFILE; base: the run is ended
//	Watches          1/2 of the account's  user namespace            -                strong: ENOSPC
//	Output           none                  counted                   counted          the run is ended
//	Record           256M                  counted                   counted          the rest is passed on and not recorded
//	RecordRate       4M                    counted                   counted          what is too fast is passed on and not recorded
//	FileSize         none                  rlimit                    rlimit           SIGXFSZ
//	OpenFiles        none                  rlimit                    rlimit           EMFILE
//
// Control groups, where they can be made, bound CPU, Memory and Processes exactly. They take up to
// 16 ms, so they are made when a file names one of the three.
type Limits struct {
	Time       time.Duration // of the wall clock, from the start of the command
	CPU        time.Duration // of the whole tree, user and system, in full seconds
	Memory     int64         // bytes of the whole tree
	Processes  int64         // in the whole tree, threads counted
	Inotify    int64         // inotify instances of the whole tree
	Watches    int64         // inotify watches of the whole tree
	Output     int64         // bytes of what the run writes to its terminal and pipes
	Record     int64         // bytes of output in the transcript
	RecordRate int64         // bytes of output in the transcript per second, after the first 16 seconds' worth
	FileSize   int64         // bytes of one file
	OpenFiles  int64         // descriptors of one process
}

// Unlimited is a limit that is set to none.
const Unlimited = math.MaxInt64

// fields are all of l, in order.
func (l *Limits) fields() [11]*int64 {
	return [11]*int64{(*int64)(&l.Time), (*int64)(&l.CPU), &l.Memory, &l.Processes, &l.Inotify, &l.Watches, &l.Output, &l.Record, &l.RecordRate, &l.FileSize, &l.OpenFiles}
}

// limit reads one limit.
func limit(kind string, field func(*Limits) *int64) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) error {
		v, err := int64(0), error(nil)
		switch {
		case n.Kind == yaml.ScalarNode && n.Value == "none":
			v = Unlimited
		case n.Kind == yaml.ScalarNode && n.Value == "auto":
		case kind == "duration":
			v, err = d.span(n)
		case kind == "number":
			v, err = d.count(n)
		default:
			v, err = d.size(n)
		}
		if err == nil {
			*field(&d.set.Limits) = v
		}
		return err
	}
}

func (d *decoder) span(n *yaml.Node) (int64, error) {
	v, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v < time.Second {
		return 0, d.fail(n, "must be a time of at least 1s, such as 90s, 10m or 2h, not %q", shown(n))
	}
	return int64(v), nil
}

func (d *decoder) count(n *yaml.Node) (int64, error) {
	v, err := strconv.ParseInt(n.Value, 10, 32)
	if n.Kind != yaml.ScalarNode || err != nil || v < 1 {
		return 0, d.fail(n, "must be a number above 0, not %q", shown(n))
	}
	return v, nil
}

// suffixes are those of systemd.syntax(7) and of docker: powers of 1024.
var suffixes = map[string]int64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

func (d *decoder) size(n *yaml.Node) (int64, error) {
	parts := regexp.MustCompile(`^([0-9]{1,12})([KMGT]?)$`).FindStringSubmatch(n.Value)
	if n.Kind != yaml.ScalarNode || parts == nil {
		return 0, d.fail(n, "must be a number of bytes, such as 500M or 4G, not %q", shown(n))
	}
	v, _ := strconv.ParseInt(parts[1], 10, 64)
	if v *= suffixes[parts[2]]; v < 1 || v > 1<<50 {
		return 0, d.fail(n, "must be between 1 and 1024T bytes, not %q", shown(n))
	}
	return v, nil
}

// strictest takes the lower of two limits, where 0 is unset.
func (l Limits) strictest(add Limits) Limits {
	for i, v := range l.fields() {
		if other := *add.fields()[i]; *v == 0 || other > 0 && other < *v {
			*v = other
		}
	}
	return l
}

// unsetIn returns those of l that first does not set.
func (l Limits) unsetIn(first Limits) Limits {
	for i, v := range l.fields() {
		if *first.fields()[i] != 0 {
			*v = 0
		}
	}
	return l
}

// LimitsOf returns what limits a run on a machine with these defaults; zero is no limit. What only
// a file says that cannot loosen is never above the default.
func (s Settings) LimitsOf(machine Limits) Limits {
	l := s.Limits
	for i, v := range l.fields() {
		at := *machine.fields()[i]
		if *v == 0 || *s.Lowered.fields()[i] != 0 && at > 0 && at < *v {
			*v = at
		}
		if *v == Unlimited {
			*v = 0
		}
	}
	return l
}

// LimitText is a limit as the configuration has it: "processes: 4096".
func LimitText(key string, value int64) string {
	for _, k := range keys {
		if k.Name == "limits."+key {
			return fmt.Sprintf("%s: %v", key, limitText(k.Type, value))
		}
	}
	return ""
}

// limitText is the value of a limit; nil for one that is unset.
func limitText(kind string, value int64) any {
	switch {
	case value == Unlimited:
		return nil
	case kind == "duration":
		return spanText(time.Duration(value))
	case kind == "size":
		return sizeText(value)
	}
	return countText(int(value))
}

// limitKey is the row of a limit.
func limitKey(name, kind, def, about, example string, field func(*Limits) *int64) Key {
	values := map[string]string{"duration": "1s or more: 90s, 10m, 2h", "size": "1 to 1024T; K, M, G, T are powers of 1024", "number": "1 or more"}[kind]
	if def == "auto" {
		values += "; none; auto"
	}
	return Key{"limits." + name, kind, values, def, about, first, example, limit(kind, field), func(s Settings) any {
		v := *field(&s.Limits)
		if v == 0 && def != "none" {
			return def
		}
		return limitText(kind, v)
	}}
}
