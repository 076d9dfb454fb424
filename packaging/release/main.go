package main

import (
	"crypto/ed25519"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// options are the flags of the program.
type options struct {
	to, env, key          string
	tagged, dry, noSystem bool
}

func main() {
	var o options
	flag.StringVar(&o.to, "to", "", "write into this `folder`, which must not have files yet")
	flag.StringVar(&o.env, "env", "packaging/release.env", "names, addresses and the public key")
	flag.StringVar(&o.key, "key", "", "sign with the Ed25519 key in this PEM `file`")
	flag.BoolVar(&o.tagged, "tagged", false, "refuse what is no release: see package comment")
	flag.BoolVar(&o.dry, "dry", false, "say what is missing for a release, and go on")
	flag.BoolVar(&o.noSystem, "no-system", false, "leave out what nfpm makes: deb, rpm, apk, Arch")
	flag.Parse()
	if o.to == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: go run ./packaging/release -to DIR [FLAGS]")
		flag.PrintDefaults()
		os.Exit(2)
	}
	if err := release(".", o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release makes everything from the repository at root.
func release(root string, o options, out io.Writer) error {
	m := &maker{root: root, to: o.to, out: out}
	var err error
	if m.env, err = readEnv(o.env); err != nil {
		return err
	}
	if m.source, err = describe(root); err != nil {
		return err
	}
	signer, err := readKey(o.key)
	if err != nil {
		return err
	}
	if why := m.isRelease(signer); o.tagged && why != nil {
		return why
	} else if o.dry && why != nil {
		fmt.Fprintf(out, "this is no release:\n%v\n", why)
		if m.env["PUBLIC_KEY"] == "" {
			signer = nil // no one could verify
		}
	}
	if err := empty(m.to); err != nil {
		return err
	}
	if m.work, err = os.MkdirTemp("", "release"); err != nil {
		return err
	}
	defer os.RemoveAll(m.work)
	if err := m.makeAll(!o.noSystem); err != nil {
		return err
	}
	if err := m.writeSums(); err != nil {
		return err
	}
	return m.sign(signer)
}

// empty makes the folder, or returns an error if it has files.
func empty(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		return fmt.Errorf("%q has files already; name another folder: %v", dir, err)
	}
	return nil
}

func (m *maker) makeAll(system bool) error {
	trees := map[string]tree{}
	for _, arch := range arches {
		if err := m.build(arch); err != nil {
			return err
		}
	}
	pages, err := m.pages()
	if err != nil {
		return err
	}
	for _, arch := range arches {
		if trees[arch], err = m.tree(arch, pages); err != nil {
			return err
		}
		if err := m.archive(arch, trees[arch]); err != nil {
			return err
		}
		if !system {
			continue
		}
		if err := m.systemPackages(arch, trees[arch]); err != nil {
			return err
		}
		if err := m.fleetPackages(arch); err != nil {
			return err
		}
	}
	for _, step := range []func() error{m.npm, m.sbom, m.addressed, m.provenance} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// isRelease returns why this is no release, or nil.
func (m *maker) isRelease(signer ed25519.PrivateKey) error {
	var all []error
	if m.tag == "" {
		all = append(all, fmt.Errorf("commit %.12s has no tag vX.Y.Z; try: git tag -s v0.1.0",
			m.commit))
	}
	if m.changed {
		all = append(all, errors.New("there are changes that are not committed; see: git status"))
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if why := m.env.missing(key); why != "" {
			all = append(all, errors.New(why))
		}
	}
	switch {
	case signer == nil:
		all = append(all, errors.New("no key to sign with; name its file: -key FILE"))
	case sshLine(signer) != m.env["PUBLIC_KEY"]:
		all = append(all, fmt.Errorf("the key is not that of packaging/release.env: it is %s",
			sshLine(signer)))
	}
	return errors.Join(all...)
}
