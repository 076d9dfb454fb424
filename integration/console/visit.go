package console

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
)

// A visit is a request, with the session that it belongs to; nil for one of a browser that was not
// let in. The pages are its methods: what they link to and what their forms prove is of the
// session.
type visit struct {
	*Server
	session *session
}

// A page answers one request.
type page func(visit, http.ResponseWriter, *http.Request)

// root is the address of the first page, as a path.
func (s visit) root() string {
	if s.session == nil {
		return "/"
	}
	return "/" + s.session.path + "/"
}

// proof binds a form to the session and the page that contains it.
func (s visit) proof(id, plan string) string {
	if s.session == nil {
		return "" // no form has it
	}
	mac := hmac.New(sha256.New, []byte(s.session.cookie))
	mac.Write([]byte(id + "\n" + plan))
	return hex.EncodeToString(mac.Sum(nil))
}

// proves reports whether a form has that proof.
func (s visit) proves(given, id, plan string) bool {
	return s.session != nil && hmac.Equal([]byte(given), []byte(s.proof(id, plan)))
}

// device names the browser for the record.
func (s visit) device() string {
	if s.session == nil {
		return ""
	}
	return s.session.String()
}
