package etcd

import (
	"fmt"
	"os"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// children are what this program does when a test starts it, by the value of TEST_ETCD_CHILD.
var children = map[string]func() error{"import": importChild, "flood": floodChild}

func TestMain(m *testing.M) {
	if child := children[os.Getenv("TEST_ETCD_CHILD")]; child != nil {
		if err := child(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(hermetic.Tests(m).Run())
}
