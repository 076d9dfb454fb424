package approval_test

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/etcd"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/integration/served"
)

// etcdAt is the store in the etcd whose address a file has.
func etcdAt(path string, o approval.Options) (*approval.Store, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	db, err := etcd.New(etcd.Options{Endpoints: strings.Fields(string(text)), Rand: rand.Reader,
		Prefix: "tada/" + filepath.Base(path), Secret: bytes.Repeat([]byte("s"), 32)})
	if err != nil {
		return nil, err
	}
	return approval.Open(db, o)
}

// TestEtcdProcesses are the tests of many processes, each with a connection of its own.
func TestEtcdProcesses(t *testing.T) {
	t.Parallel()
	if hermetic.Raced {
		t.Skip("hundreds of processes with a connection each")
	}
	cluster := served.StartEtcd(t, 1)
	fresh := func(t testing.TB) (*approval.Store, string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), filepath.Base(t.Name())+".etcd")
		if err := os.WriteFile(path, []byte(cluster.Endpoints()[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := realStore(path)
		if err != nil {
			t.Fatal(err)
		}
		return s, path
	}
	for name, test := range map[string]func(*testing.T, storeIn){
		"one": testOneApprovalManyProcesses, "many": testManyApprovalsManyProcesses,
		"answer": testAnswerReachesItsWaiter, "kill": testKill,
	} {
		t.Run(name, func(t *testing.T) { test(t, fresh) })
	}
}
