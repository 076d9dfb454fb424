package ship

import (
	"errors"
	"io"
	"net/http"
)

// limits are how much a reader takes from a bucket, whose names and answers may be anybody's.
type limits struct {
	names     int // of one listing
	back      int // of them, those that are not behind the one before: a listing is in order
	machines  int
	documents int // of one machine
}

var usual = limits{names: 20_000_000, back: 10_000, machines: 1 << 20, documents: 1 << 18}

var (
	errBack      = errors.New("the listing begins again and again")
	errMachines  = errors.New("the bucket lists more machines than a fleet can have")
	errDocuments = errors.New("the bucket lists more fleet documents below the machine than a " +
		"fleet can have")
)

// maxAnswer is the longest answer that is read: an object, or a page of a listing, which has up to
// a thousand names of up to a kilobyte.
const maxAnswer = 16 << 20

// limited cuts answers that are longer.
type limited struct{ http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = cut{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	}
	return answer, err
}

// cut is the beginning of a body.
type cut struct {
	io.Reader
	io.Closer
}
