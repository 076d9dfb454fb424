//go:build linux

package session

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// An idle tap shows what the relay itself costs; a hashing one what a recorder must at least do.
type idle struct{ count int64 }

func (i *idle) Output(_ Stream, p []byte) error { i.count += int64(len(p)); return nil }
func (*idle) Input(string, []byte) error        { return nil }
func (*idle) Resize(int, int) error             { return nil }

type hashing struct {
	idle
	hash hash.Hash
}

func (h *hashing) Output(_ Stream, p []byte) error {
	h.count += int64(len(p))
	h.hash.Write(p)
	return nil
}

func devNull(b *testing.B) *os.File {
	f, err := os.OpenFile("/dev/null", os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f
}

// lines is a command that prints size bytes as a program would: lines, so that the
// terminal has line ends to translate.
func lines(size int) string { return fmt.Sprintf("yes %060d | head -c %d", 7, size) }

// The terminal against the plainest copy there is in Go: read the master, drop it.
func BenchmarkTerminal64MB(b *testing.B) {
	const size = 64 << 20
	command := lines(size)
	b.Run("raw", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			master, peer, err := openPTY()
			if err != nil {
				b.Fatal(err)
			}
			unix.SetNonblock(master, false)
			m := os.NewFile(uintptr(master), "master")
			cmd := exec.Command("bash", "-c", command)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = peer, peer, peer
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			peer.Close()
			buf := make([]byte, 32<<10)
			for err = nil; err == nil; {
				_, err = m.Read(buf)
			}
			cmd.Wait()
			m.Close()
		}
	})
	taps := map[string]func() Tap{
		"idle":   func() Tap { return &idle{} },
		"sha256": func() Tap { return &hashing{hash: sha256.New()} },
	}
	for _, name := range []string{"idle", "sha256"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			out := devNull(b)
			for b.Loop() {
				s, err := Open(Stdio{Out: out}, Always, taps[name]())
				if err != nil {
					b.Fatal(err)
				}
				benchRun(b, s, command)
			}
		})
	}
}

// The pipe against cat, first as a mere copy and then with a checksum over all bytes. The
// producer and the last reader are the same programs on both sides.
func BenchmarkPipe256MB(b *testing.B) {
	const size = 256 << 20
	command := fmt.Sprintf("head -c %d /dev/zero", size)
	b.Run("cat", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if err := exec.Command("bash", "-c",
				command+" | cat | cat > /dev/null").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("session", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			benchPipe(b, command, &idle{})
		}
	})
	b.Run("cat+sha256", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if err := exec.Command("bash", "-c",
				command+" | cat | sha256sum > /dev/null").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("session+sha256", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			benchPipe(b, command, &hashing{hash: sha256.New()})
		}
	})
}

// benchPipe is command | session | cat > /dev/null.
func benchPipe(b *testing.B, command string, tap Tap) {
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	reader := exec.Command("cat")
	reader.Stdin = r
	if err := reader.Start(); err != nil {
		b.Fatal(err)
	}
	r.Close()
	s, err := Open(Stdio{Out: w}, Auto, tap)
	if err != nil {
		b.Fatal(err)
	}
	benchRun(b, s, command)
	w.Close()
	reader.Wait()
}

func benchRun(b *testing.B, s *Session, command string) {
	cmd := exec.Command("bash", "-c", command)
	files := s.ChildFiles()
	cmd.Stdout = files[1]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if s.TTY() >= 0 {
		cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = true, s.TTY()
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	s.Started()
	cmd.Wait()
	if err := s.Ended(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// What a session adds to the start of a short command.
func BenchmarkOpenAndEnd(b *testing.B) {
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, mode := range []PTY{Auto, Always} {
		b.Run(mode.String(), func(b *testing.B) {
			for b.Loop() {
				s, err := Open(Stdio{Out: w, Err: w}, mode, &idle{})
				if err != nil {
					b.Fatal(err)
				}
				s.Started()
				if err := s.Ended(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
