package sandbox

import (
	"fmt"
	"io"
	"math"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// measureMain connects to an address as often as it is told, and then reads from it as much as it
// is told. It prints the median time of a connection in nanoseconds and the time for the bytes.
func measureMain(args []string) {
	to := netip.MustParseAddrPort(args[0])
	n, _ := strconv.Atoi(args[1])
	size, _ := strconv.ParseInt(args[2], 10, 64)
	times := make([]time.Duration, n)
	for i := range times {
		begin := time.Now()
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err == nil {
			err = unix.Connect(fd, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()})
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		times[i] = time.Since(begin)
		unix.Close(fd)
	}
	slices.Sort(times)
	c, err := net.Dial("tcp4", to.String())
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Fprintf(c, "%d\n", size)
	begin := time.Now()
	buffer := make([]byte, 1<<18)
	for left := size; left > 0; {
		got, err := c.Read(buffer)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		left -= int64(got)
	}
	fmt.Println(int64(times[n/2]), int64(time.Since(begin)))
}

// sourceMain sends each client as many bytes as it asks for.
func sourceMain(args []string) {
	l, err := net.Listen("tcp4", args[0])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(l.Addr())
	block := make([]byte, 1<<18)
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			var size int
			if n, _ := fmt.Fscanln(c, &size); n == 1 {
				for ; size > 0; size -= len(block) {
					if _, err := c.Write(block[:min(size, len(block))]); err != nil {
						return
					}
				}
			}
		}()
	}
}

// BenchmarkNetwork is what a connection and its bytes cost in the sandbox, beside no sandbox in the
// same run: extra-us/connect is what is to stay below 300, of the processor's time below 100, and
// throughput what is to stay above 0.98.
func BenchmarkNetwork(b *testing.B) {
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	source := exec.Command(program)
	source.Args, source.Env = []string{"source", "127.0.1.20:0"}, []string{}
	address, err := source.StdoutPipe()
	if err == nil {
		err = source.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	defer func() { source.Process.Kill(); source.Wait() }()
	var at string
	if _, err := fmt.Fscanln(address, &at); err != nil {
		b.Fatal(err)
	}
	argv := []string{"measure", at, "1000", strconv.Itoa(1 << 28)}
	read := func(text []byte) (connect, bytes float64) {
		f := strings.Fields(string(text))
		if len(f) != 2 {
			b.Fatalf("%s", text)
		}
		connect, _ = strconv.ParseFloat(f[0], 64)
		bytes, _ = strconv.ParseFloat(f[1], 64)
		return connect, bytes
	}
	for _, level := range []Level{Base, Strong} {
		b.Run(level.String(), func(b *testing.B) {
			p := reaching(Readable(), nil, "127.0.1.20")
			p.Require, p.Most = level, level
			// what other work on the machine does not explain
			best := [4]float64{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}
			run := func(argv []string) (bare, fenced []byte, spent [2]time.Duration) {
				before := usage()
				cmd := exec.Command(program)
				cmd.Args, cmd.Env = argv, []string{}
				bare, err := cmd.Output()
				if err != nil {
					b.Fatal(err)
				}
				spent[0], before = usage()-before, usage()
				out, in, err := os.Pipe()
				if err != nil {
					b.Fatal(err)
				}
				process, _, err := Start(p,
					Command{Path: program, Argv: argv, Files: []*os.File{nil, in, in}})
				in.Close()
				if err != nil {
					b.Fatal(err)
				}
				fenced, _ = io.ReadAll(out)
				out.Close()
				process.Wait()
				spent[1] = usage() - before
				return bare, fenced, spent
			}
			var extra []time.Duration
			for b.Loop() {
				_, _, few := run([]string{"measure", at, "100", "1"})
				_, _, many := run([]string{"measure", at, "600", "1"})
				extra = append(extra, (many[1]-few[1]-many[0]+few[0])/500)
				bare, fenced, _ := run(argv)
				for i, text := range [][]byte{bare, fenced} {
					connect, bytes := read(text)
					best[2*i], best[2*i+1] = min(best[2*i], connect), min(best[2*i+1], bytes)
				}
			}
			slices.Sort(extra)
			b.ReportMetric(float64(extra[len(extra)/2])/1000, "extra-cpu-us/connect")
			b.ReportMetric((best[2]-best[0])/1000, "extra-us/connect")
			b.ReportMetric(best[1]/best[3], "throughput")
			b.ReportMetric(0, "ns/op")
		})
	}
}
