package audit

import "bytes"

// kindFactor is about what proves a person; passkeys are paired and revoked with it.
const kindFactor = "approval.factor"

// isAboutPasskey reports whether an entry is the pairing of a passkey, or says that one has
// answered or confirmed an act. Its body is canonical, so these bytes are no part of a text.
func isAboutPasskey(kind string, body []byte) bool {
	switch kind {
	case kindFactor:
		return bytes.Contains(body, []byte(`"credential":{`))
	case "console.act":
		return true
	case "approval.decided", "approval.voted", "approval.rejected":
		return bytes.Contains(body, []byte(`"passkey":{`)) ||
			bytes.Contains(body, []byte(`"channel":"passkey"`))
	}
	return false
}
