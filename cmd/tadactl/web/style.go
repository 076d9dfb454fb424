package web

import (
	"crypto/sha256"
	"encoding/base64"
)

const style = `body{font:15px/1.4 monospace;margin:2em auto;max-width:110ch;padding:0 1em;color:#111;background:#fff}
pre{white-space:pre;overflow-x:auto;border:1px solid #999;padding:1em}
input[type=text]{font:inherit;width:40ch}input.code{width:8ch;text-transform:uppercase}
button{font:inherit;padding:.3em 1.2em;margin-right:1em}
code{overflow-wrap:anywhere}.narrow{display:none}
@media(max-width:60em){.wide{display:none}.narrow{display:block;padding:.3em}body{margin:.5em auto}}
.label{color:#666}.low{color:#060;font-weight:bold}.high{color:#a00;font-weight:bold}
.critical{color:#fff;background:#a00;font-weight:bold;padding:0 .3em}
.danger{color:#a00;font-weight:bold}.lost{color:#a00}.kept{color:#060}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}a{color:#9cf}
.label{color:#999}.low,.kept{color:#6d6}.high,.danger,.lost{color:#f77}}`

// styleHash allows this one style and no other (CSP level 2, hash-source).
var styleHash = func() string {
	sum := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(sum[:])
}()
