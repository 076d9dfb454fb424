// Command s3 is an S3 server on loopback, for tests: versitygw on a folder. See package served.
//
// It says "serving" on its standard output as soon as it answers, and ends with a signal.
package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/s3api"
	"github.com/versity/versitygw/s3api/middlewares"
)

func main() {
	dir := flag.String("dir", "", "the folder of its buckets, and one beside it for what it notes")
	listen := flag.String("listen", "", "the address")
	access := flag.String("access", "test", "the access key")
	secret := flag.String("secret", "testsecret", "the secret key")
	size := flag.String("size", "", "how much fits into the buckets, such as 4m: for that, it has "+
		"namespaces of its own")
	flag.Parse()
	if err := small(*dir, *size); err != nil {
		fmt.Fprintln(os.Stderr, "s3:", err)
		os.Exit(1)
	}
	out := os.Stdout
	os.Stdout = os.Stderr // where the gateway says what it uses
	if err := serve(out, *dir, *listen, auth.Account{Access: *access, Secret: *secret,
		Role: auth.RoleAdmin}); err != nil {
		fmt.Fprintln(os.Stderr, "s3:", err)
		os.Exit(1)
	}
}

func serve(out io.Writer, dir, listen string, root auth.Account) error {
	notes := filepath.Join(filepath.Dir(dir), "notes")
	for _, d := range []string{dir, notes} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	side, err := meta.NewSideCar(notes) // a temporary folder may have no extended attributes
	if err != nil {
		return err
	}
	store, err := posix.New(dir, side, posix.PosixOpts{SideCarDir: notes, Concurrency: 100})
	if err != nil {
		return err
	}
	server, err := s3api.New(store, middlewares.RootUserConfig{Access: root.Access,
		Secret: root.Secret}, "us-east-1", auth.NewIAMServiceSingle(root), nil, nil, nil, nil,
		s3api.WithQuiet(), s3api.WithKeepAlive(), s3api.WithConcurrencyLimiter(1000, 1000))
	if err != nil {
		return err
	}
	go sayWhenServing(out, listen)
	return server.ServeMultiPort([]string{listen})
}

// sayWhenServing waits until the port is open.
func sayWhenServing(out io.Writer, address string) {
	for {
		if c, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			c.Close()
			fmt.Fprintln(out, "serving")
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
