package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
)

// The reasons for a 403.
var (
	errHost   = errors.New("the request is for a different host")
	errOrigin = errors.New("the request comes from a different site")
	errMethod = errors.New("only GET and POST are allowed")
	errToken  = errors.New("this is not the address shown in the terminal")
	errForm   = errors.New("the form did not come from this page")
	errCode   = errors.New("that is not the code shown in the terminal")
	errSpent  = errors.New("three wrong codes; answer in a terminal: tadactl approve or tadactl deny")
)

// guard says why a request is refused, and returns the rest of its path behind the token.
func (s *Server) guard(r *http.Request) (rest string, err error) {
	origin, site := r.Header.Values("Origin"), r.Header.Get("Sec-Fetch-Site")
	switch {
	case r.Host != s.host:
		return "", errHost
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		return "", errMethod
	case len(origin) > 1, len(origin) == 1 && origin[0] != "http://"+s.host, r.Method == http.MethodPost && len(origin) == 0:
		return "", errOrigin
	case site != "" && site != "same-origin" && (site != "none" || r.Method != http.MethodGet): // "none": a person typed it
		return "", errOrigin
	}
	token, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if !ok || subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		return "", errToken
	}
	return rest, nil
}

// headers keep a browser from doing more with the page than show it.
func headers(h http.Header) {
	for name, value := range map[string]string{
		"Content-Security-Policy":      "default-src 'none'; style-src 'sha256-" + styleHash + "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
		"Content-Type":                 "text/html; charset=utf-8",
		"Cache-Control":                "no-store",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "same-origin", // with no-referrer a form's Origin would be null
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
	} {
		h.Set(name, value)
	}
}

// proof ties a form to the page it stands on.
func (s *Server) proof(id, plan string) string {
	mac := hmac.New(sha256.New, []byte(s.token))
	mac.Write([]byte(id + "\n" + plan))
	return hex.EncodeToString(mac.Sum(nil))
}

// codeAlphabet leaves out what can be taken for something else (Crockford).
var codeAlphabet = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

const (
	codeLength = 6
	maxWrong   = 3
)

// A code is what the terminal shows for one question.
type code struct {
	text  string // "" when it was used
	plan  string // hash of what it is for
	wrong int
}

// take reports whether the code was given; it is good for one time.
func (c *code) take(given, plan string) error {
	given = strings.ToUpper(strings.TrimSpace(given))
	switch {
	case c == nil || c.text == "" || c.plan != plan:
		return errCode
	case c.wrong >= maxWrong:
		return errSpent
	case subtle.ConstantTimeCompare([]byte(given), []byte(c.text)) != 1:
		if c.wrong++; c.wrong >= maxWrong {
			return errSpent
		}
		return errCode
	}
	c.text = ""
	return nil
}
