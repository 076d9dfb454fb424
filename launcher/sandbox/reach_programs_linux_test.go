package sandbox

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/broker/network"
)

// fetchMain is a Go program that asks for names by itself. With a second argument it speaks HTTP/2
// without encryption, as gRPC does.
func fetchMain(args []string) {
	if len(args) == 0 {
		os.Exit(2)
	}
	net.DefaultResolver.PreferGo = true
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(len(args) == 1)
	transport.Protocols.SetUnencryptedHTTP2(len(args) > 1)
	c := http.Client{Timeout: 10 * time.Second, Transport: transport}
	r, err := c.Get(args[0])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(r.Proto)
	io.Copy(os.Stdout, r.Body)
}

// A Go program with its own resolver reaches what it may, at Base by what stands in for a UDP
// socket.
func TestGoResolver(t *testing.T) {
	allowed := hostSite(t, "127.0.1.3", pages("allowed"))
	names := internet{"allowed.test": {allowed.addr}}
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, names, "allowed.test", allowed.addr.String())
		p.Read = append(p.Read, Path{Name: self(t)})
		for _, test := range []struct {
			url  string
			want bool
		}{
			{fmt.Sprintf("http://allowed.test:%d/", allowed.port), true},
			{fmt.Sprintf("http://other.test:%d/", allowed.port), false},
			{fmt.Sprintf("http://%s:%d/", allowed.addr, allowed.port), true},
		} {
			for proto, argv := range map[string][]string{"HTTP/1.1": {"fetch", test.url},
				"HTTP/2.0": {"fetch", test.url, "2"}} {
				s, said, _ := talkAs(t, p, self(t), argv...)
				if (s.Shell() == 0) != test.want ||
					test.want && said != proto+"\nhello from allowed\n" {
					t.Errorf("%s, %s: %d %q", test.url, proto, s.Shell(), said)
				}
			}
		}
	})
}

// A Java program, whose network is its own, reaches what it may.
func TestJava(t *testing.T) {
	if err := exec.Command("java", "--list-modules").Run(); err != nil {
		t.Skip("java is not installed")
	}
	allowed, other := hostSite(t, "127.0.1.21", pages("allowed")),
		hostSite(t, "127.0.1.22", pages("other"))
	names := internet{"allowed.test": {allowed.addr}, "other.test": {other.addr}}
	file := filepath.Join(t.TempDir(), "Fetch.java")
	must(t, os.WriteFile(file, []byte(`
import java.net.URI;
import java.net.http.*;
class Fetch {
	public static void main(String[] args) throws Exception {
		for (String arg : args) {
			try {
				var request = HttpRequest.newBuilder(URI.create(arg)).build();
				System.out.print(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
			} catch (java.io.IOException e) {
				System.out.println("refused: " + e.getClass());
			}
		}
	}
}`), 0o600))
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, names, fmt.Sprintf("allowed.test:%d", allowed.port), allowed.addr.String())
		p.Read = append(p.Read, Path{Name: filepath.Dir(file)})
		s, said, traffic := talk(t, p, "java", "-Xshare:auto", "-XX:+UseSerialGC",
			"-XX:TieredStopAtLevel=1", file,
			fmt.Sprintf("http://allowed.test:%d/", allowed.port),
			fmt.Sprintf("http://other.test:%d/", other.port),
			fmt.Sprintf("http://%s:%d/", other.addr, other.port))
		if s.Shell() != 0 || !strings.HasPrefix(said, "hello from allowed\nrefused: ") ||
			strings.Count(said, "refused: ") != 2 || strings.Contains(said, "other") {
			t.Errorf("%d %q %+v", s.Shell(), said, traffic)
		}
	})
}

// ssh comes as far as the other side's first word.
func TestSSH(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.1.13:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	heard := make(chan string, 8)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, "SSH-2.0-test\r\n")
			b := make([]byte, 8)
			io.ReadFull(c, b)
			heard <- string(b)
			c.Close()
		}
	}()
	names := internet{"ssh.test": {netip.MustParseAddr("127.0.1.13")}}
	port := l.Addr().(*net.TCPAddr).Port
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, names, "ssh.test", "127.0.1.13")
		options := []string{"ssh", "-F", "none", "-o", "BatchMode=yes", "-o",
			"StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o",
			"ConnectTimeout=10", "-p", fmt.Sprint(port)}
		_, said, traffic := talk(t, p, append(options, "ssh.test", "true")...)
		select {
		case word := <-heard:
			if word != "SSH-2.0-" {
				t.Errorf("%q", word)
			}
		default:
			t.Errorf("nobody came: %q %+v", said, traffic)
		}
		_, said, _ = talk(t, p, append(options, "other.test", "true")...)
		if !strings.Contains(said, "resolve") {
			t.Errorf("other: %q", said)
		}
	})
}

// A static C program has its address from elsewhere: it is the one that an allowed name leads to,
// or it is refused.
func TestStaticC(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/c.c", []byte(`
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[2]))};
	char b[200];
	inet_pton(AF_INET, argv[1], &a.sin_addr);
	int s = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(s, (void *)&a, sizeof a)) { perror("connect"); return 1; }
	write(s, "GET / HTTP/1.0\r\n\r\n", 18);
	for (int n; (n = read(s, b, sizeof b)) > 0;) write(1, b, n);
	return 0;
}`), 0o600))
	if out, err := exec.Command("gcc", "-static", "-o", dir+"/c",
		dir+"/c.c").CombinedOutput(); err != nil {
		t.Skipf("gcc cannot make static programs here: %s", out)
	}
	allowed, other := hostSite(t, "127.0.1.14", pages("allowed")),
		hostSite(t, "127.0.1.15", pages("other"))
	rule, err := network.ParseRule("allowed.test")
	must(t, err)
	rule.Addrs, rule.Local = []netip.Addr{allowed.addr}, true
	bothLevels(t, func(t *testing.T, p Profile) {
		p = reaching(p, nil)
		p.Reach.Rules = []network.Rule{rule}
		p.Read = append(p.Read, Path{Name: dir})
		if s, said, traffic := talk(t, p, dir+"/c", allowed.addr.String(),
			fmt.Sprint(allowed.port)); s.Shell() != 0 ||
			!strings.Contains(said, "hello from allowed") ||
			only(traffic, "tcp").Host != "allowed.test" {
			t.Errorf("%d %q %+v", s.Shell(), said, traffic)
		}
		if s, said, _ := talk(t, p, dir+"/c", other.addr.String(),
			fmt.Sprint(other.port)); s.Shell() == 0 ||
			!strings.Contains(said, "Permission denied") {
			t.Errorf("%d %q", s.Shell(), said)
		}
	})
}

// talkAs is talk with another name for the program.
func talkAs(t *testing.T, p Profile, path string, argv ...string) (Status, string, broker.Traffic) {
	t.Helper()
	out, in, err := os.Pipe()
	must(t, err)
	defer out.Close()
	process, _, err := Start(p, Command{Path: path, Argv: argv, Files: []*os.File{nil, in, in}})
	in.Close()
	must(t, err)
	text, _ := io.ReadAll(out)
	s, err := process.Wait()
	must(t, err)
	return s, string(text), process.Traffic()
}
