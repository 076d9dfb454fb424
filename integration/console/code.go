package console

import (
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"strings"
)

// codeAlphabet omits characters that can be confused (Crockford).
var codeAlphabet = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(
	base32.NoPadding)

const (
	codeLength = 6
	maxWrong   = 3
)

// A code is what the terminal shows for one question.
type code struct {
	text  string // "" once it was used
	plan  string // hash of what it is for
	wrong int
}

// take returns nil if the code was given; it can be used once. A wrong one counts as long as the
// right one would be taken.
func (c *code) take(given, plan string) (counts bool, err error) {
	given = strings.ToUpper(strings.TrimSpace(given))
	switch {
	case c == nil || c.text == "" || c.plan != plan:
		return false, errCode
	case c.wrong >= maxWrong:
		return false, errSpent
	case subtle.ConstantTimeCompare([]byte(given), []byte(c.text)) != 1:
		if c.wrong++; c.wrong >= maxWrong {
			return true, errSpent
		}
		return true, errCode
	}
	c.text = ""
	return true, nil
}

// The reasons for a 403.
var (
	errHost   = errors.New("the request is for a different host")
	errOrigin = errors.New("the request comes from a different site")
	errMethod = errors.New("only GET and POST are allowed")
	errCookie = errors.New("this browser has sent no cookie; allow cookies for this page, and " +
		"open the next link")
	// also of links that were used
	errSession = errors.New("this session has ended, or it is that of another browser")
	errForm    = errors.New("the form did not come from this page")
	errCode    = errors.New("that is not the code shown in the terminal")
	errSpent   = errors.New(
		"three wrong codes; answer in a terminal: tadactl approve or tadactl deny")
)
