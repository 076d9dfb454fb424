package tamper

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// textTypes are the endings of files in which the spelling of a line's end means nothing. Programs
// and configuration are not among them: for a shell, a CR is part of a word.
var textTypes = []string{".md", ".markdown", ".mdx", ".txt", ".text", ".rst", ".adoc", ".org",
	".csv", ".tsv"}

// CalculateChecksum returns the checksum of a file's content as 64 hex digits: SHA-256 over the
// content with every CRLF and CR written as LF, when the name is that of a text and the content is
// UTF-8 without NUL and no script; else over the bytes as they are. A byte order mark counts, and
// no Unicode form is preferred: both can change what a reader sees.
func CalculateChecksum(name string, content []byte) string {
	if text, ok := normal(name, content); ok {
		return hexSum(text)
	}
	return hexSum(content)
}

// normal returns the content with LF for every end of a line. It is false for what has only one
// spelling.
func normal(name string, content []byte) (text []byte, ok bool) {
	if !isText(name) || bytes.HasPrefix(content, []byte("#!")) ||
		bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content) {
		return nil, false
	}
	if bytes.IndexByte(content, '\r') < 0 {
		return content, true
	}
	text = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\r"), []byte("\n")), true
}

func isText(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return slices.Contains(textTypes, ext)
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
