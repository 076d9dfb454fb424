package web

import (
	"crypto/sha256"
	"encoding/base64"
)

const style = `body{font:15px/1.4 monospace;margin:2em auto;max-width:110ch;padding:0 1em;color:#111;background:#fff}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #999;padding:1em}
input[type=text]{font:inherit;width:40ch}input.code{width:8ch;text-transform:uppercase}
button{font:inherit;padding:.3em 1.2em;margin-right:1em}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}a{color:#9cf}}`

// styleHash allows this one style and no other (CSP level 2, hash-source).
var styleHash = func() string {
	sum := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(sum[:])
}()
