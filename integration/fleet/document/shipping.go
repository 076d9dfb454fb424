package document

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval/plan"
)

// A Shipping says where the machines of a fleet copy their records to, and who can read them there.
// Its zero value is nowhere.
type Shipping struct {
	Endpoint   string   // URL of the storage, which speaks the protocol of S3
	Bucket     string   // its name, and perhaps a prefix after a slash
	Region     string   // "" for the one that is usual where there are none
	Recipients []string // of age: age1...
	Witnesses  []Witness
}

// A Witness cosigns the checkpoints of records before they are shipped.
type Witness struct {
	Key string // NAME+HASH+KEY
	URL string
}

// maxShipping is how many recipients and how many witnesses there may be.
const maxShipping = 16

// Split returns the name of the bucket, and the prefix of all names there: "" or one that ends with
// a slash.
func (s Shipping) Split() (bucket, prefix string) {
	bucket, prefix, _ = strings.Cut(s.Bucket, "/")
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return bucket, prefix
}

// Nowhere reports whether nothing is shipped.
func (s Shipping) Nowhere() bool { return s.Bucket == "" }

func (s Shipping) equal(o Shipping) bool {
	return s.Endpoint == o.Endpoint && s.Bucket == o.Bucket && s.Region == o.Region &&
		slices.Equal(s.Recipients, o.Recipients) && slices.Equal(s.Witnesses, o.Witnesses)
}

// check refuses a place that cannot be one. What recipients and witnesses are is for who uses them.
func (s Shipping) check() error {
	u, err := url.Parse(s.Endpoint)
	bucket, _ := s.Split()
	switch {
	case s.Nowhere():
		return nil
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" ||
		strings.Trim(u.Path, "/") != "" || u.User != nil:
		return fmt.Errorf("endpoint %q: it must be https://HOST[:PORT]", s.Endpoint)
	case len(bucket) < 3 || len(bucket) > 63 || strings.Trim(bucket,
		"abcdefghijklmnopqrstuvwxyz0123456789.-") != "":
		return fmt.Errorf("bucket %q: its name must be 3 to 63 of a-z, 0-9, \".\" and \"-\"",
			bucket)
	case len(s.Recipients) == 0:
		return fmt.Errorf("bucket %q: without a recipient nobody could read it", bucket)
	case len(s.Recipients) > maxShipping, len(s.Witnesses) > maxShipping:
		return fmt.Errorf("bucket %q: at most %d recipients and %d witnesses are possible", bucket,
			maxShipping, maxShipping)
	}
	return nil
}

func (s Shipping) fields() map[string]any {
	witnesses := []any{}
	for _, w := range s.Witnesses {
		witnesses = append(witnesses, map[string]any{"key": w.Key, "url": w.URL})
	}
	return map[string]any{"bucket": s.Bucket, "endpoint": s.Endpoint,
		"recipients": s.Recipients, "region": s.Region, "witnesses": witnesses}
}

func readShipping(f plan.Fields) Shipping {
	s := Shipping{Endpoint: f.Text("endpoint"), Bucket: f.Text("bucket"),
		Region: f.Text("region"), Recipients: f.Texts("recipients")}
	for _, w := range f.Objects("witnesses") {
		s.Witnesses = append(s.Witnesses, Witness{w.Text("key"), w.Text("url")})
	}
	return s
}
