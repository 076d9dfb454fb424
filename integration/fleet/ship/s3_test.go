package ship

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/tada-run/tada-run/integration/served"
)

const bucketName = "records"

// A store is what tests may do to a bucket behind the back of everybody.
type store interface {
	Names() []string
	Get(name string) []byte
	Put(name string, data []byte)
	Remove(name string)
}

// startStore starts an S3 server: versitygw with TEST_SERVERS set, else a part of one.
func startStore(t *testing.T) (string, store) {
	t.Helper()
	if os.Getenv("TEST_SERVERS") != "" {
		return startVersity(t)
	}
	return served.StartBucket(t, bucketName)
}

// A faulty stands before a server, and loses requests or answers.
type faulty struct {
	http.Handler
	mu     sync.Mutex
	seen   int
	only   string // the method of the requests that are counted; "" for all
	at     int    // the request that is lost; 0 for none
	answer bool   // its answer is lost, and it was done
	full   bool   // nothing can be stored
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	counted := f.only == "" || f.only == r.Method
	if counted {
		f.seen++
	}
	lost, answer, full := counted && f.seen == f.at, f.answer, f.full
	f.mu.Unlock()
	switch {
	case full && r.Method == http.MethodPut:
		http.Error(w, "<Error><Code>InsufficientStorage</Code></Error>",
			http.StatusInsufficientStorage)
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
func (f *faulty) set(only string, at int, answer, full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen, f.only, f.at, f.answer, f.full = 0, only, at, answer, full
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
