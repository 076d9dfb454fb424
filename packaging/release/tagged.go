package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"maps"
	"slices"
)

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
