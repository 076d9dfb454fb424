package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
)

// Text returns the profile as lines of text, the same for profiles that mean the same: sorted,
// names quoted as in Go, unset values left out. It is for records and for people; the first line
// has the version of the format.
//
//	tada-sandbox-profile 1
//	read "/usr" optional
//	write "/home/me/project"
//	hide "/home/me/.ssh"
//	network off
//	require base
func (p Profile) Text() string {
	lines := append(p.pathLines(), p.Limits.lines()...)
	for _, must := range p.Must {
		lines = append(lines, "must "+strconv.Quote(string(must)))
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"one-program", p.OneProgram}, {"debug", p.Debug}, {"private-tmp", p.PrivateTmp},
		{"terminals", p.Terminals}, {"view", p.View != nil && !p.PrivateTmp}} {
		if flag.set {
			lines = append(lines, flag.name)
		}
	}
	lines = append(lines, p.reachLines()...)
	if p.View != nil && !p.PrivateTmp {
		lines = append(lines, "view ledger "+strconv.Quote(p.View.Ledger))
		for _, list := range []struct {
			word  string
			names []string
		}{{"of", p.View.Dirs}, {"open", p.View.Open}, {"makes", p.View.Makes},
			{"named", p.View.Named}, {"system", p.View.System}, {"linked", p.View.Linked}} {
			for _, name := range list.names {
				lines = append(lines, "view "+list.word+" "+strconv.Quote(name))
			}
		}
	}
	lines = append(lines, "network "+p.Network.String(), "require "+max(p.Require, Base).String())
	if p.Most == Base {
		lines = append(lines, "most base")
	}
	slices.Sort(lines)
	text := []byte("tada-fence-profile 1\n")
	for i, line := range lines {
		if i == 0 || line != lines[i-1] {
			text = append(append(text, line...), '\n')
		}
	}
	return string(text)
}

func (p Profile) pathLines() (lines []string) {
	for _, list := range []struct {
		word  string
		paths []Path
	}{{"list ", p.List}, {"read ", p.Read}, {"write ", p.Write}, {"device ", p.Devices}} {
		for _, path := range list.paths {
			b := strconv.AppendQuote([]byte(list.word), path.Name)
			if path.NoExec {
				b = append(b, " noexec"...)
			}
			if path.Optional {
				b = append(b, " optional"...)
			}
			lines = append(lines, string(b))
		}
	}
	for _, name := range p.Hide {
		lines = append(lines, "hide "+strconv.Quote(name))
	}
	for _, name := range p.ReadOnly {
		lines = append(lines, "keep "+strconv.Quote(name))
	}
	return lines
}

func (l Limits) lines() (lines []string) {
	for _, limit := range []struct {
		name  Limit
		value uint64
	}{
		{LimitWall, uint64(l.Wall)}, {"grace", uint64(l.Grace)}, {LimitCPU, l.CPU},
		{LimitMemory, l.Memory}, {LimitProcesses, l.Processes}, {LimitInotify, l.Inotify},
		{LimitWatches, l.Watches},
		{LimitAddressSpace, l.AddressSpace}, {LimitFileSize, l.FileSize}, {LimitFiles, l.Files},
	} {
		if limit.value != 0 {
			lines = append(lines,
				"limit "+strconv.Quote(string(limit.name))+" "+strconv.FormatUint(limit.value, 10))
		}
	}
	if l.Grouped {
		lines = append(lines, "limit grouped")
	}
	return lines
}

func (p Profile) reachLines() (lines []string) {
	for _, r := range p.Reach.Rules {
		line := "reach " + r.String()
		if r.Lead {
			line += " lead"
		}
		if r.Local {
			line += " local"
		}
		for _, start := range r.For {
			line += fmt.Sprintf(" for %q %s %v", start.Name, start.ID, start.Deep)
		}
		if r.For != nil && len(r.For) == 0 {
			line += " for none"
		}
		lines = append(lines, line)
	}
	for _, name := range p.Reach.Starters {
		lines = append(lines, "starter "+strconv.Quote(name))
	}
	for _, name := range p.Reach.Wrappers {
		lines = append(lines, "wrapper "+strconv.Quote(name))
	}
	for _, text := range p.Reach.Texts {
		lines = append(lines, "text "+strconv.Quote(text))
	}
	for _, port := range p.Reach.Publish {
		lines = append(lines, "publish "+strconv.Itoa(int(port)))
	}
	if p.Reach.Localhost {
		lines = append(lines, "localhost")
	}
	return lines
}

// Digest returns the SHA-256 of Text, in hexadecimal.
func (p Profile) Digest() string {
	sum := sha256.Sum256([]byte(p.Text()))
	return hex.EncodeToString(sum[:])
}
