package ship

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

// A Key opens a bucket. The zero Key is what the environment variables of AWS, or its file of
// credentials, have.
type Key struct{ ID, Secret string }

// A Bucket is where the machines of a fleet store their records.
type Bucket struct {
	client *minio.Client
	name   string
	prefix string
	folder folder // with a copy of it, which is read instead
	limits
}

// The limits of a request.
const (
	patience   = 2 * time.Minute
	usualPlace = "us-east-1" // what is signed for a server that has no regions
)

// errThere is returned for a name that has an object already.
var errThere = errors.New("the bucket has another object of that name")

// errNone is returned for a name that has none.
var errNone = errors.New("the bucket has no such object")

// OpenBucket returns the bucket of a fleet. Nothing is sent yet.
func OpenBucket(s document.Shipping, k Key) (*Bucket, error) {
	u, err := url.Parse(s.Endpoint)
	if err != nil {
		return nil, err
	}
	creds := credentials.NewStaticV4(k.ID, k.Secret, "")
	if k == (Key{}) {
		creds = credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{},
			&credentials.FileAWSCredentials{}})
	}
	region := s.Region
	if region == "" {
		region = usualPlace
	}
	transport, err := minio.DefaultTransport(u.Scheme == "https")
	if err != nil {
		return nil, err
	}
	transport.ResponseHeaderTimeout = patience
	b := &Bucket{limits: usual}
	b.name, b.prefix = s.Split()
	b.client, err = minio.New(u.Host, &minio.Options{Creds: creds, Secure: u.Scheme == "https",
		Region: region, Transport: limited{transport}, MaxRetries: 1})
	if err != nil {
		return nil, fmt.Errorf("endpoint %q: %w", s.Endpoint, err)
	}
	return b, nil
}

// put stores an object, unless there is one of that name: then the error is errThere.
func (b *Bucket) put(ctx context.Context, name string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	o := minio.PutObjectOptions{ContentType: "application/octet-stream", DisableMultipart: true,
		SendContentMd5: true} // a bucket whose objects cannot be deleted requires it
	o.SetMatchETagExcept("*")
	_, err := b.client.PutObject(ctx, b.name, b.prefix+name, bytes.NewReader(data),
		int64(len(data)), o)
	return b.reason("storing", name, err)
}

// get returns an object of at most limit bytes. A longer one is cut: its hash is another.
func (b *Bucket) get(ctx context.Context, name string, limit int64) ([]byte, error) {
	if b.folder != "" {
		data, err := b.folder.get(name, limit)
		return data, b.reason("reading", name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := b.client.GetObject(ctx, b.name, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, b.reason("reading", name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	return data, b.reason("reading", name, err)
}

// atOnce is how many objects are fetched at a time.
const atOnce = 8

// getAll fetches objects at the same time.
func (b *Bucket) getAll(ctx context.Context, names []string) (data [][]byte, errs []error) {
	data, errs = make([][]byte, len(names)), make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { data[i], errs[i] = b.get(ctx, name, maxStored) })
	}
	all.Wait()
	return data, errs
}

// OpenCopy returns a copy of the bucket of a fleet, made by any program that copies buckets: dir
// has the folder of each machine. It can be read only.
func OpenCopy(dir string) (*Bucket, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%q is not a folder", dir)
	}
	return &Bucket{name: dir, folder: folder(dir), limits: usual}, err
}

// list yields the names that begin with a prefix and come after a name, in their order.
func (b *Bucket) list(ctx context.Context, prefix, after string) iter.Seq2[string, error] {
	if b.folder != "" {
		return b.folder.list(prefix, after)
	}
	return func(yield func(string, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // ends the listing
		o := minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: true}
		if after != "" {
			o.StartAfter = b.prefix + after
		}
		seen, back, last := 0, 0, ""
		for x := range b.client.ListObjects(ctx, b.name, o) {
			if seen++; x.Key <= last {
				back++
			}
			switch last = x.Key; {
			case x.Err != nil:
			case seen > b.names:
				x.Err = fmt.Errorf("it has more than %d objects", b.names)
			case back > b.back:
				x.Err = errBack
			}
			name, ok := strings.CutPrefix(x.Key, b.prefix)
			if x.Err == nil && (!ok || !strings.HasPrefix(name, prefix)) {
				continue // that was not asked for
			}
			if !yield(name, b.reason("listing", prefix, x.Err)) || x.Err != nil {
				return
			}
		}
	}
}

// reason says what an error of the storage means here.
func (b *Bucket) reason(doing, name string, err error) error {
	if err == nil {
		return nil
	}
	r := minio.ToErrorResponse(err)
	switch {
	case errors.Is(err, fs.ErrNotExist), r.Code == minio.NoSuchKey,
		r.StatusCode == http.StatusNotFound && r.Code != minio.NoSuchBucket:
		err = errNone
	case r.StatusCode == http.StatusPreconditionFailed, r.StatusCode == http.StatusConflict:
		err = errThere
	}
	return fmt.Errorf("bucket %q: %s %.120q: %w", b.name, doing, name, err)
}
