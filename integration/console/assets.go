package console

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
)

var (
	//go:embed assets/style.css
	style string
	//go:embed assets/live.js
	script string
)

// hashOf names a text for a Content-Security-Policy (level 2, hash-source).
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// The policies of the pages: one style, no other source of anything, and where a page is kept up to
// date one script, which may read from here.
var (
	still = "default-src 'none'; style-src " + hashOf(style) +
		"; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	alive = still + "; script-src " + hashOf(script) + "; connect-src 'self'"
)
