package quarantine

import (
	"bufio"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// runtimeTrees are what programs read to run: libraries, and the data of libraries. They contain no
// programs, nothing of the user's, and none of the machine's configuration that lists its users.
const runtimeTrees = `
	/lib /lib32 /lib64 /libx32 /usr/lib /usr/lib32 /usr/lib64 /usr/local/lib /nix/store
	/etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/localtime /usr/share/zoneinfo /usr/share/locale /usr/share/perl /usr/share/perl5
	/usr/share/nodejs /etc/alternatives /etc/ssl/openssl.cnf /dev/random /dev/urandom
`

// networkTrees are what programs also read to reach a named host.
const networkTrees = `
	/etc/ssl/certs /etc/ssl/cert.pem /etc/pki/tls /etc/pki/ca-trust /etc/ca-certificates /usr/share/ca-certificates
	/etc/resolv.conf /run/systemd/resolve /etc/hosts /etc/host.conf /etc/nsswitch.conf /etc/gai.conf /etc/services
`

// maxThreads limits the processes and threads of a reviewer: a runtime with its workers has some
// dozens, and a fork bomb must not take down the machine.
const maxThreads = 1024

// stage prepares a reviewer's cell: it finds and opens everything, and runs nothing.
func (r Reviewer) stage(o Options, files []string) (*cell, error) {
	if len(r.Argv) == 0 {
		return nil, errors.New("no reviewer to start")
	}
	c := &cell{}
	for _, part := range []func() error{
		func() error { return r.profile(&c.profile, o) },
		func() error { return c.load(r) },
		func() error { return c.reveal(o, files) },
		c.connect,
	} {
		if err := part(); err != nil {
			c.close()
			return nil, err
		}
	}
	c.command.Env = r.Env
	return c, nil
}

// profile sets up the sandbox, except for the program and the files.
func (r Reviewer) profile(p *sandbox.Profile, o Options) error {
	p.OneProgram, p.Require, p.Most = true, max(r.Level, sandbox.Base), r.most
	p.Limits = sandbox.Limits{Wall: o.Timeout, Grace: r.Grace, Processes: maxThreads, Grouped: true,
		FileSize: maxContent}
	if r.Grace <= 0 {
		p.Limits.Grace = DefaultGrace
	}
	p.Read = trees(runtimeTrees)
	p.Devices = []sandbox.Path{{Name: "/dev/null"}, {Name: "/dev/zero", Optional: true}}
	for _, name := range r.Runtime {
		real, err := realPath(name)
		if err != nil {
			return fmt.Errorf("runtime of the reviewer: %w", err)
		}
		p.Read = append(p.Read, sandbox.Path{Name: real, NoExec: true})
	}
	return r.reach(p)
}

// reach opens the network for named hosts.
func (r Reviewer) reach(p *sandbox.Profile) error {
	for _, e := range r.Endpoints {
		rule, err := network.ParseRule(e)
		if err != nil {
			return fmt.Errorf("endpoint of the model: %w", err)
		}
		if strings.HasPrefix(rule.Name, "*") || rule.Net.IsValid() && !rule.Net.IsSingleIP() {
			return fmt.Errorf("endpoint of the model: %q is more than one host", e)
		}
		rule.Local = true
		p.Reach.Rules = append(p.Reach.Rules, rule)
	}
	if len(p.Reach.Rules) > 0 {
		p.Network = sandbox.Hosts
		p.Read = append(p.Read, trees(networkTrees)...)
	}
	return nil
}

func trees(list string) []sandbox.Path {
	var paths []sandbox.Path
	for _, name := range strings.Fields(list) {
		if real, err := realPath(name); err == nil {
			paths = append(paths, sandbox.Path{Name: real, NoExec: true, Optional: true})
		}
	}
	return paths
}

// realPath returns the absolute name of an existing file, without links.
func realPath(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(name)
}

// reveal makes the files under review readable: exactly those that it opens now, below the root and
// without following a link.
func (c *cell) reveal(o Options, files []string) error {
	root, err := openRoot(o.Root)
	if err != nil {
		return err
	}
	defer root.close()
	for _, name := range files {
		real, _, err := root.resolve(name)
		if err != nil {
			return fmt.Errorf("refer to %q: %w", name, err)
		}
		if err := o.MayRead(real); err != nil {
			return fmt.Errorf("refer to %q: %w", name, err)
		}
		f, err := root.content(real)
		if err != nil {
			return fmt.Errorf("refer to %q: %w", name, err)
		}
		c.ours = append(c.ours, f)
		c.profile.Read = append(c.profile.Read, sandbox.Path{Name: real, File: f, NoExec: true})
	}
	return nil
}

// load allows executing the program, and what the kernel opens to execute it: the interpreter of a
// script, and the loader of a dynamic program.
func (c *cell) load(r Reviewer) error {
	program, err := realPath(r.Argv[0])
	if err != nil {
		return fmt.Errorf("reviewer: %w", err)
	}
	c.command.Path, c.command.Argv = program, slices.Clone(r.Argv)
	if r.Name != "" {
		c.command.Argv[0] = r.Name
	}
	for depth := 0; ; depth++ {
		f, err := os.Open(program)
		if err != nil {
			return fmt.Errorf("reviewer: %w", err)
		}
		c.ours = append(c.ours, f)
		c.profile.Read = append(c.profile.Read, sandbox.Path{Name: program, File: f})
		words, err := interpreter(f)
		if err != nil {
			return fmt.Errorf("reviewer %q: %w", program, err)
		}
		if words == nil {
			return nil
		}
		if filepath.Base(words[0]) == "env" && len(words) > 1 {
			// env(1) would have to execute another program. That program is looked up instead, in
			// the usual PATH.
			if words, err = c.withoutEnv(words[1:]); err != nil {
				return fmt.Errorf("reviewer %q: %w", program, err)
			}
		}
		if depth == 4 { // as many as the kernel follows (BINPRM_BUF, fs/exec.c)
			return fmt.Errorf("reviewer %q: its chain of interpreters does not end", r.Argv[0])
		}
		if program, err = realPath(words[0]); err != nil {
			return fmt.Errorf("reviewer %q: its interpreter: %w", r.Argv[0], err)
		}
	}
}

// withoutEnv turns a script with "#!/usr/bin/env NAME" into one with the path of NAME.
func (c *cell) withoutEnv(words []string) ([]string, error) {
	if strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=") {
		return nil, fmt.Errorf("env with options is another program; name the interpreter in " +
			"the first line")
	}
	for _, dir := range []string{"/usr/local/bin", "/usr/bin", "/bin"} {
		path := filepath.Join(dir, words[0])
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() &&
			info.Mode()&0o111 != 0 {
			c.command.Argv = append(append([]string{path}, words[1:]...),
				append([]string{c.command.Path}, c.command.Argv[1:]...)...)
			real, err := realPath(path)
			c.command.Path = real
			return []string{path}, err
		}
	}
	return nil, fmt.Errorf("there is no %q in /usr/local/bin, /usr/bin and /bin", words[0])
}

// interpreter returns the words of a script's first line, the loader of a dynamic program, or nil.
func interpreter(f *os.File) ([]string, error) {
	head := make([]byte, 256)
	n, _ := f.ReadAt(head, 0)
	if line, ok := bytes.CutPrefix(head[:n], []byte("#!")); ok {
		first, _ := bufio.NewReader(bytes.NewReader(line)).ReadString('\n')
		words := strings.Fields(first)
		if len(words) == 0 {
			return nil, errors.New("its first line names no interpreter")
		}
		return words, nil
	}
	e, err := elf.NewFile(f)
	if err != nil {
		return nil, errors.New("it is neither a script nor an ELF program")
	}
	for _, p := range e.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		name := make([]byte, min(p.Filesz, maxPath))
		if _, err := p.ReadAt(name, 0); err != nil {
			return nil, fmt.Errorf("its loader: %w", err)
		}
		return []string{string(bytes.TrimRight(name, "\x00"))}, nil
	}
	return nil, nil
}
