package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The flake names the hash of what go mod vendor writes, as Nix computes it. Without this test,
// each change of go.mod would break the build by Nix, and no one here would see it.
func TestVendorHash(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vendor")
	vendor := exec.Command("go", "mod", "vendor", "-o", dir)
	vendor.Dir = "../.."
	if out, err := vendor.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", vendor, err, out)
	}
	hash := sha256.New()
	words(hash, "nix-archive-1")
	archive(t, hash, dir)
	want := `vendorHash = "sha256-` + base64.StdEncoding.EncodeToString(hash.Sum(nil)) + `";`
	if !strings.Contains(string(read(t, "../nix/flake.nix")), want) {
		t.Errorf("write into packaging/nix/flake.nix: %s", want)
	}
}

// archive writes a file or a folder as nix-store --dump does.
func archive(t *testing.T, w io.Writer, name string) {
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().IsRegular() {
		words(w, "(", "type", "regular")
		if info.Mode()&0o100 != 0 {
			words(w, "executable", "")
		}
		words(w, "contents", string(read(t, name)), ")")
		return
	}
	words(w, "(", "type", "directory")
	entries, err := os.ReadDir(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		words(w, "entry", "(", "name", e.Name(), "node")
		archive(t, w, filepath.Join(name, e.Name()))
		words(w, ")")
	}
	words(w, ")")
}

// words writes each after its length, filled up to eight bytes.
func words(w io.Writer, all ...string) {
	for _, s := range all {
		b := append(binary.LittleEndian.AppendUint64(nil, uint64(len(s))), s...)
		_, _ = w.Write(append(b, make([]byte, (8-len(s)%8)%8)...)) // a hash takes all
	}
}
