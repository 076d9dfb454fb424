package served

import (
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// s3Program is where the program is that was built.
var s3Program = sync.OnceValues(func() (string, error) { return build("s3") })

// The key of every S3 server.
const (
	S3Key    = "test"
	S3Secret = "testsecret"
)

// StartS3 starts an S3 server and returns its URL when it answers, and the folder whose folders are
// its buckets.
func StartS3(t testing.TB) (url, dir string) {
	t.Helper()
	path := program(t, s3Program)
	for try := 0; ; try++ {
		ports, err := free(1)
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Join(t.TempDir(), "buckets")
		p, err := start(path, "-dir", dir, "-listen", ports[0], "-access", S3Key,
			"-secret", S3Secret)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.kill)
		if err = p.serves(time.Minute); err == nil {
			return "http://" + ports[0], dir
		}
		if try == 3 { // a port may have been taken in the meantime
			t.Fatal(err)
		}
	}
}
