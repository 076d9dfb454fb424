package served

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A Bucket is a part of an S3 server, in this process: one bucket, with conditional writes and
// listings in pages of a few names. It does not check signatures: what is tested with it is tested
// with StartS3 too.
type Bucket struct {
	name    string
	mu      sync.Mutex
	objects map[string][]byte
}

// StartBucket starts one, empty, and returns its URL.
func StartBucket(t testing.TB, name string) (string, *Bucket) {
	t.Helper()
	b := &Bucket{name: name, objects: map[string][]byte{}}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	return server.URL, b
}

// Names returns the names of all objects, sorted.
func (b *Bucket) Names() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.objects))
}

// Get returns an object, nil if there is none.
func (b *Bucket) Get(name string) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.objects[name]
}

// Put stores an object, whatever is there.
func (b *Bucket) Put(name string, data []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objects[name] = data
}

// Remove removes an object.
func (b *Bucket) Remove(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.objects, name)
}

// ServeHTTP answers one request.
func (b *Bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(r.URL.Path, "/"+b.name+"/")
	if !ok || !strings.Contains(r.Header.Get("Authorization"), "Credential="+S3Key+"/") {
		fail(w, http.StatusForbidden, "AccessDenied")
		return
	}
	switch {
	case r.Method == http.MethodGet && name == "":
		b.list(w, r.URL.Query())
	case r.Method == http.MethodGet:
		data := b.Get(name)
		if data == nil {
			fail(w, http.StatusNotFound, "NoSuchKey")
			return
		}
		w.Header().Set("ETag", etag(data))
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data)
	case r.Method == http.MethodPut:
		data, err := body(r)
		if err != nil {
			fail(w, http.StatusBadRequest, "IncompleteBody")
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.objects[name] != nil && r.Header.Get("If-None-Match") == "*" {
			fail(w, http.StatusPreconditionFailed, "PreconditionFailed")
			return
		}
		b.objects[name] = data
		w.Header().Set("ETag", etag(data))
	default:
		fail(w, http.StatusMethodNotAllowed, "MethodNotAllowed")
	}
}

func etag(data []byte) string { return fmt.Sprintf("%q", fmt.Sprintf("%x", md5.Sum(data))) }

func fail(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code></Error>")
}

// body reads the body of a request, which may be in signed chunks.
func body(r *http.Request) ([]byte, error) {
	if !strings.Contains(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING") {
		return io.ReadAll(r.Body)
	}
	var all bytes.Buffer
	for in := bufio.NewReader(r.Body); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.ParseInt(size, 16, 32)
		if err != nil || n == 0 {
			return all.Bytes(), err
		}
		if _, err := io.CopyN(&all, in, n); err != nil {
			return nil, err
		}
		if _, err := in.Discard(2); err != nil {
			return nil, err
		}
	}
}

func (b *Bucket) list(w http.ResponseWriter, q url.Values) {
	type object struct{ Key, LastModified string }
	var page struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string
		Contents              []object
	}
	after := max(q.Get("start-after"), q.Get("continuation-token"))
	for _, name := range b.Names() {
		if !strings.HasPrefix(name, q.Get("prefix")) || name <= after {
			continue
		}
		if len(page.Contents) == 7 {
			page.IsTruncated = true
			break
		}
		page.Contents = append(page.Contents, object{name, "2026-01-02T15:04:05.000Z"})
		page.NextContinuationToken = name
	}
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(page)
}
