package integration

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The files of other authors are those that the package comment lists, and none can end the element
// that it stands in.
func TestVendoredTerminal(t *testing.T) {
	t.Parallel()
	doc := read(t, "console/doc.go")
	files, err := os.ReadDir("console/assets/xterm")
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		text := read(t, filepath.Join("console/assets/xterm", f.Name()))
		sum := sha256.Sum256([]byte(text))
		if !regexp.MustCompile(regexp.QuoteMeta(f.Name()) + ` +` +
			hex.EncodeToString(sum[:])).MatchString(doc) {
			t.Errorf("%s has SHA-256 %x, which the table does not say", f.Name(), sum)
		}
		if lower := strings.ToLower(text); strings.Contains(lower, "</script") ||
			strings.Contains(lower, "<!--") || strings.Contains(lower, "<script") {
			t.Errorf("%s cannot be in a page", f.Name())
		}
	}
}
