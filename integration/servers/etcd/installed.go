package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/client/pkg/v3/types"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// A node is what one is told by its options.
type node struct {
	name, dir, cluster, token string
	client, peer, known       string
	secure                    string
	quota                     int64
}

// become makes this process that of an etcd that is installed, as a package of a distribution is. A
// second one says "serving" when it answers.
func (n node) become(program string) error {
	words := []string{program, "--name", n.name, "--data-dir", n.dir,
		"--initial-cluster", n.cluster, "--initial-cluster-token", n.token,
		"--listen-client-urls", n.client, "--advertise-client-urls", n.client,
		"--listen-peer-urls", n.peer, "--initial-advertise-peer-urls", n.known,
		"--log-level", "error",
		"--heartbeat-interval", "100", "--election-timeout", "1000"}
	if n.quota > 0 {
		words = append(words, "--quota-backend-bytes", strconv.FormatInt(n.quota, 10))
	}
	if n.secure != "" {
		t := n.files()
		words = append(words, "--cert-file", t.CertFile, "--key-file", t.KeyFile,
			"--trusted-ca-file", t.TrustedCAFile, "--client-cert-auth")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	teller := exec.Command(self, append([]string{"-await"}, os.Args[1:]...)...)
	teller.Stdout, teller.Stderr = os.Stdout, os.Stderr
	if err := teller.Start(); err != nil {
		return err
	}
	return syscall.Exec(program, words, os.Environ())
}

// files are those of a registrar, whose clients alone are served.
func (n node) files() transport.TLSInfo {
	return transport.TLSInfo{CertFile: filepath.Join(n.secure, "server.pem"),
		KeyFile:       filepath.Join(n.secure, "server.key"),
		TrustedCAFile: filepath.Join(n.secure, "ca.pem"), ClientCertAuth: true}
}

// await says "serving" and the id of the node as soon as it answers.
func (n node) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var secure *tls.Config
	if n.secure != "" {
		var err error
		if secure, err = n.files().ClientConfig(); err != nil {
			return err
		}
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{n.client}, TLS: secure})
	if err != nil {
		return err
	}
	defer client.Close()
	for {
		got, err := client.Status(ctx, n.client)
		switch {
		case err == nil:
			fmt.Println("serving", types.ID(got.Header.MemberId))
			return nil
		case ctx.Err() != nil:
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}
