// Command etcd is one node of an etcd cluster on loopback, for tests: see package served.
//
// It says "serving" and its id on its standard output as soon as it answers, and ends with a
// signal. With TEST_ETCD set to the path of an etcd, it is that one.
package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"

	"go.etcd.io/etcd/server/v3/embed"
)

func main() {
	n := node{}
	config := embed.NewConfig()
	flag.StringVar(&n.name, "name", "one", "the name of this node")
	flag.StringVar(&n.dir, "dir", "", "the folder of its data")
	flag.StringVar(&n.cluster, "cluster", "", "NAME=URL of every node, for its peers")
	flag.StringVar(&n.token, "token", "test", "names the cluster")
	flag.BoolVar(&config.UnsafeNoFsync, "no-fsync", false, "do not wait for the disk")
	flag.StringVar(&n.client, "client", "", "the URL for clients")
	flag.StringVar(&n.peer, "peer", "", "the URL for other nodes")
	flag.StringVar(&n.known, "known", "", "its URL for other nodes; -peer unless it is set")
	flag.StringVar(&n.secure, "tls", "", "the folder of a registrar, whose clients alone are served")
	flag.Int64Var(&n.quota, "quota", 0, "how many bytes it may hold: 0 for 2 GiB")
	await := flag.Bool("await", false, "only say when the node answers")
	flag.Parse()
	if n.known == "" {
		n.known = n.peer
	}
	var err error
	switch installed := os.Getenv("TEST_ETCD"); {
	case *await:
		err = n.await()
	case installed != "":
		err = n.become(installed)
	default:
		err = n.serve(config)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
}

// serve is a node of the module's own server.
func (n node) serve(config *embed.Config) error {
	config.Name, config.Dir, config.InitialCluster = n.name, n.dir, n.cluster
	config.InitialClusterToken, config.QuotaBackendBytes = n.token, n.quota
	if n.secure != "" {
		config.ClientTLSInfo = n.files()
	}
	c, err := url.Parse(n.client)
	if err != nil {
		return err
	}
	p, err := url.Parse(n.peer)
	if err != nil {
		return err
	}
	k, err := url.Parse(n.known)
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
