package state

import (
	"encoding/base32"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
)

// idText is Crockford's alphabet in lower case: no letter looks like a digit to a person who reads
// an id aloud.
var idText = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewID names a run: 48 bits of milliseconds, so that ids sort by time, and 32 bits of
// chance, so that runs of one millisecond differ. It is 16 characters long.
func NewID(now time.Time, random io.Reader) (string, error) {
	var raw [10]byte
	ms := uint64(now.UnixMilli())
	binary.BigEndian.PutUint16(raw[0:], uint16(ms>>32))
	binary.BigEndian.PutUint32(raw[2:], uint32(ms))
	if _, err := io.ReadFull(random, raw[6:]); err != nil {
		return "", err
	}
	return idText.EncodeToString(raw[:]), nil
}

// IsID reports whether s could be one. Ids become file names.
func IsID(s string) bool {
	if len(s) != 16 {
		return false
	}
	_, err := idText.DecodeString(s)
	return err == nil
}

// TimeOf returns the time at which an id was made; the zero time for what is no id.
func TimeOf(id string) time.Time {
	raw, err := idText.DecodeString(id)
	if err != nil || len(raw) != 10 {
		return time.Time{}
	}
	ms := uint64(binary.BigEndian.Uint16(raw))<<32 | uint64(binary.BigEndian.Uint32(raw[2:]))
	return time.UnixMilli(int64(ms)).UTC()
}

// Chance is true for one of n ids, by the chance in it. n is a power of two, at most 65536.
func Chance(id string, n int) bool {
	raw, err := idText.DecodeString(id)
	return err == nil && len(raw) == 10 && int(binary.BigEndian.Uint16(raw[8:]))%n == 0
}

// ErrAmbiguous is returned for a beginning of an id that several have.
var ErrAmbiguous = errors.New("ambiguous id")

// ErrNoSuch is returned for an id that nothing has.
var ErrNoSuch = errors.New("no such id")

// Only returns the id that begins with prefix, ErrAmbiguous when several do, ErrNoSuch when none.
func Only(ids []string, prefix string) (string, error) {
	ids = slices.DeleteFunc(ids, func(id string) bool {
		return prefix == "" || !strings.HasPrefix(id, prefix)
	})
	switch len(ids) {
	case 0:
		return "", ErrNoSuch
	case 1:
		return ids[0], nil
	}
	return "", ErrAmbiguous
}
