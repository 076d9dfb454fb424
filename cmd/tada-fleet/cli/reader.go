package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"filippo.io/age"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/integration/fleet/ship"
)

// bucketScheme begins the URL of a bucket.
const bucketScheme = "s3://"

// check is what the command line, or the fleet of this machine, says, with the newest fleet
// document that the bucket has.
func (f *fleet) check(ctx context.Context) (c ship.Check, err error) {
	o := f.o.Verify
	if len(o.Identities) == 0 {
		return c, usagef("--identity is needed: a file of age-keygen with a key of a recipient")
	}
	pin := ""
	for _, path := range o.Identities {
		var list []age.Identity
		text, err := readFile(path)
		if err == nil {
			list, err = ship.Identities(text)
		}
		if err != nil {
			return c, fmt.Errorf("--identity %q: %w", path, err)
		}
		c.Identities = append(c.Identities, list...)
		if pin == "" {
			pin = ship.PinOf(text)
		}
	}
	var key ship.Key
	if c.Fleet, key, err = f.reader(); err != nil {
		return c, err
	}
	c.Ask = o.Ask
	if o.Copy != "" {
		c.Bucket, err = ship.OpenCopy(o.Copy)
	} else {
		c.Bucket, err = f.bucket(c.Fleet.Ship, key)
	}
	if err != nil {
		return c, err
	}
	c, err = c.Newest(ctx, pin)
	if in, behind := c.Behind(); err == nil && behind && in > 0 {
		fmt.Fprintf(f.err, "tadactl fleet: fleet document %d is known here, and the newest in the "+
			"bucket is %d: it was not shipped yet, or was removed\n", c.Fleet.Serial, in)
	}
	return c, err
}

// bucket is that of the command line, or of the fleet.
func (f *fleet) bucket(from document.Shipping, key ship.Key) (*ship.Bucket, error) {
	o := f.o.Verify
	if o.Bucket != "" {
		from.Bucket = strings.TrimPrefix(o.Bucket, bucketScheme)
	}
	if o.Endpoint != "" {
		from.Endpoint, from.Region = o.Endpoint, o.Region
	}
	if from.Nowhere() || from.Endpoint == "" {
		return nil, usagef("no fleet document is known here that names a bucket; --bucket and " +
			"--endpoint are needed")
	}
	return ship.OpenBucket(from, key)
}

// reader is the fleet document that is known here, and the key of the bucket. On a machine in no
// fleet it is the zero Fleet: the bucket has one.
func (f *fleet) reader() (fleet document.Fleet, key ship.Key, err error) {
	if path := f.o.Verify.Document; path != "" {
		text, err := readFile(path)
		if err == nil {
			fleet, err = document.FirstFleet(text)
		}
		return fleet, key, err
	}
	l, err := f.place.OpenToJudge()
	if err != nil {
		return fleet, key, err
	}
	folder := member.In(l.Home())
	_, err = folder.Load()
	if errors.Is(err, member.ErrNotJoined) {
		return fleet, key, nil
	}
	if err == nil {
		fleet, err = folder.Document()
	}
	if err == nil {
		key.ID, key.Secret, err = folder.ShipKey()
	}
	return fleet, key, err
}
