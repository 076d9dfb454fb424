package ship

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tada-run/tada-run/integration/served"
)

const bucketName = "records"

// A store is what tests may do to a bucket behind the back of everybody.
type store interface {
	names() []string
	get(name string) []byte
	put(name string, data []byte)
	remove(name string)
}

// startStore starts an S3 server: versitygw with TEST_SERVERS set, else the subset below.
func startStore(t *testing.T) (string, store) {
	t.Helper()
	if os.Getenv("TEST_SERVERS") != "" {
		return startVersity(t)
	}
	s := &subset{objects: map[string][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL, s
}

// A subset is as much of S3 as is used here: one bucket, with conditional writes and listings in
// pages of a few names.
type subset struct {
	mu      sync.Mutex
	objects map[string][]byte
}

func (s *subset) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

func (s *subset) get(name string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[name]
}

func (s *subset) put(name string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[name] = data
}

func (s *subset) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, name)
}

func (s *subset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(r.URL.Path, "/"+bucketName+"/")
	if !ok || !strings.Contains(r.Header.Get("Authorization"), "Credential="+served.S3Key+"/") {
		fail(w, http.StatusForbidden, "AccessDenied")
		return
	}
	switch {
	case r.Method == http.MethodGet && name == "":
		s.list(w, r.URL.Query())
	case r.Method == http.MethodGet:
		data := s.get(name)
		if data == nil {
			fail(w, http.StatusNotFound, "NoSuchKey")
			return
		}
		w.Header().Set("ETag", `"`+sum(data)[:32]+`"`)
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data)
	case r.Method == http.MethodPut:
		data, err := body(r)
		if err != nil {
			fail(w, http.StatusBadRequest, "IncompleteBody")
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.objects[name] != nil && r.Header.Get("If-None-Match") == "*" {
			fail(w, http.StatusPreconditionFailed, "PreconditionFailed")
			return
		}
		s.objects[name] = data
		w.Header().Set("ETag", `"`+sum(data)[:32]+`"`)
	default:
		fail(w, http.StatusMethodNotAllowed, "MethodNotAllowed")
	}
}

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

func (s *subset) list(w http.ResponseWriter, q url.Values) {
	type object struct{ Key, LastModified string }
	var page struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string
		Contents              []object
	}
	after := max(q.Get("start-after"), q.Get("continuation-token"))
	for _, name := range s.names() {
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

// A faulty stands before a server, and loses requests or answers.
type faulty struct {
	http.Handler
	mu     sync.Mutex
	seen   int
	at     int  // the request that is lost; 0 for none
	answer bool // its answer is lost, and it was done
	full   bool // nothing can be stored
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.seen++
	lost, answer, full := f.seen == f.at, f.answer, f.full
	f.mu.Unlock()
	switch {
	case full && r.Method == http.MethodPut:
		fail(w, http.StatusInsufficientStorage, "InsufficientStorage")
	case lost && answer:
		f.Handler.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case lost:
		panic(http.ErrAbortHandler)
	default:
		f.Handler.ServeHTTP(w, r)
	}
}

// set makes a request be lost, counted from now.
func (f *faulty) set(at int, answer, full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen, f.at, f.answer, f.full = 0, at, answer, full
}

// front starts a faulty server before another one.
func front(t *testing.T, server string) (string, *faulty) {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	f := &faulty{Handler: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // which is signed
	}}}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL, f
}
