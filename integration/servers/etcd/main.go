// Command etcd is one node of an etcd cluster on loopback, for tests: see package served.
//
// It says "serving" and its id on its standard output as soon as it answers, and ends with a
// signal.
package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"
)

func main() {
	config := embed.NewConfig()
	flag.StringVar(&config.Name, "name", "one", "the name of this node")
	flag.StringVar(&config.Dir, "dir", "", "the folder of its data")
	flag.StringVar(&config.InitialCluster, "cluster", "", "NAME=URL of every node, for its peers")
	flag.StringVar(&config.InitialClusterToken, "token", "test", "names the cluster")
	flag.BoolVar(&config.UnsafeNoFsync, "no-fsync", false, "do not wait for the disk")
	client := flag.String("client", "", "the URL for clients")
	peer := flag.String("peer", "", "the URL for other nodes")
	known := flag.String("known", "", "its URL for other nodes; -peer unless it is set")
	secure := flag.String("tls", "", "the folder of a registrar, whose clients alone are served")
	flag.Int64Var(&config.QuotaBackendBytes, "quota", 0, "how many bytes it may hold: 0 for 2 GiB")
	flag.Parse()
	if *secure != "" {
		config.ClientTLSInfo = transport.TLSInfo{CertFile: filepath.Join(*secure, "server.pem"),
			KeyFile:       filepath.Join(*secure, "server.key"),
			TrustedCAFile: filepath.Join(*secure, "ca.pem"), ClientCertAuth: true}
	}
	if *known == "" {
		known = peer
	}
	if err := serve(config, *client, *peer, *known); err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
}

func serve(config *embed.Config, client, peer, known string) error {
	c, err := url.Parse(client)
	if err != nil {
		return err
	}
	p, err := url.Parse(peer)
	if err != nil {
		return err
	}
	k, err := url.Parse(known)
	if err != nil {
		return err
	}
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{*c}, []url.URL{*c}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{*p}, []url.URL{*k}
	config.LogLevel = "error"
	config.LogOutputs = []string{"stderr"}
	// an election must not begin because the machine is busy with other tests
	config.TickMs, config.ElectionMs = 100, 1000
	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer server.Close()
	select {
	case <-server.Server.ReadyNotify():
		fmt.Println("serving", server.Server.MemberID())
	case err := <-server.Err():
		return err
	}
	return <-server.Err()
}
