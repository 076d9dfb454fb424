package served

import (
	"errors"
	"io/fs"
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
	return startS3(t, func(*process) {})
}

// StartSmallS3 starts one into which no more than a size fits, such as "4m". Its folder is in a
// file system that only it sees. It skips the test where a process cannot have one.
func StartSmallS3(t testing.TB, size string) (url string) {
	t.Helper()
	url, _ = startS3(t, func(p *process) { small(p.cmd, size) })
	return url
}

func startS3(t testing.TB, change func(*process)) (url, dir string) {
	t.Helper()
	path := program(t, s3Program)
	for try := 0; ; try++ {
		ports, err := free(1)
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Join(t.TempDir(), "buckets")
		p := newProcess(path, "-dir", dir, "-listen", ports[0], "-access", S3Key,
			"-secret", S3Secret)
		change(p)
		err = p.start()
		if errors.Is(err, fs.ErrPermission) {
			t.Skip("it may have no namespaces of its own: ", err)
		}
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
