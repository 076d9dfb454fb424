package main

import (
	"crypto/ed25519"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// namespace keeps a signature from being taken for one of something else, as of a commit.
const namespace = "tada-run-release"

// readKey returns the key that openssl genpkey -algorithm ed25519 made, or nil without a name.
func readKey(name string) (ed25519.PrivateKey, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%q has no key in PEM", name)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%q is no Ed25519 key", name)
	}
	return key, nil
}

// sign signs the checksums twice, because machines have ssh-keygen or openssl and rarely both. With
// a key that is not the public one, no one could verify, so it is an error.
func (m *maker) sign(key ed25519.PrivateKey) error {
	if key == nil {
		m.leaveOut(sumsName+".sig and .sshsig", "no -key that fits PUBLIC_KEY")
		return nil
	}
	if public := m.env["PUBLIC_KEY"]; public != sshLine(key) {
		return errors.New("the key is not PUBLIC_KEY in packaging/release.env: it is " +
			sshLine(key))
	}
	text, err := os.ReadFile(filepath.Join(m.to, sumsName))
	if err != nil {
		return err
	}
	if err := m.write(sumsName+".sig", ed25519.Sign(key, text)); err != nil {
		return err
	}
	return m.write(sumsName+".sshsig", sshSignature(key, text))
}

// sshLine is the public key as ssh writes it.
func sshLine(key ed25519.PrivateKey) string {
	return "ssh-ed25519 " + base64.StdEncoding.EncodeToString(sshPublic(key))
}

func sshPublic(key ed25519.PrivateKey) []byte {
	return fields([]byte("ssh-ed25519"), key.Public().(ed25519.PublicKey))
}

// fields are byte strings as the SSH protocol has them: each after its length.
func fields(all ...[]byte) (b []byte) {
	for _, f := range all {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(f))), f...)
	}
	return b
}

// sshSignature is what ssh-keygen -Y sign makes; its format is in OpenSSH's PROTOCOL.sshsig.
func sshSignature(key ed25519.PrivateKey, text []byte) []byte {
	hash := sha512.Sum512(text)
	signed := append([]byte("SSHSIG"), fields([]byte(namespace), nil, []byte("sha512"), hash[:])...)
	signature := fields([]byte("ssh-ed25519"), ed25519.Sign(key, signed))
	blob := append([]byte("SSHSIG"), 0, 0, 0, 1)
	blob = append(blob, fields(sshPublic(key), []byte(namespace), nil, []byte("sha512"),
		signature)...)
	return pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: blob})
}
