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
	liveScript string
	//go:embed assets/keys.js
	keysScript string
	//go:embed assets/post.js
	postScript string
	//go:embed assets/pair.js
	pairScript string
	//go:embed assets/signin.js
	signInScript string
	//go:embed assets/passkey.js
	passkeyScript string
	//go:embed assets/undo.js
	undoScript string
	//go:embed assets/confirm.js
	confirmScript string
	//go:embed assets/notify.js
	notifyScript string
)

// hashOf names a text for a Content-Security-Policy (level 2, hash-source).
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// still is the policy of a page: one style, and no other source of anything.
var still = "default-src 'none'; style-src " + hashOf(style) +
	"; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// policyFor is that of a page with a script, which may read from here and send here.
func policyFor(script string) string {
	if script == "" {
		return still
	}
	return still + "; script-src " + hashOf(script) + "; connect-src 'self'"
}
