package network

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// How long one server has for an answer, and how often all are asked.
const (
	patience = 2 * time.Second
	rounds   = 2
)

// Resolve asks for IPv4 and IPv6 addresses at the same time.
func (s Stub) Resolve(ctx context.Context, name string) (own, found []netip.Addr, err error) {
	if own = inFile(s.Hosts, name); own != nil {
		return own, nil, nil
	}
	type result struct {
		addrs []netip.Addr
		err   error
	}
	six := make(chan result, 1)
	go func() {
		addrs, err := s.ask(ctx, name, typeAAAA)
		six <- result{addrs, err}
	}()
	found, err = s.ask(ctx, name, typeA)
	other := <-six
	found = append(found, other.addrs...)
	if len(found) > 0 {
		err = nil
	} else if err == nil {
		err = other.err
	}
	return nil, found, err
}

// ask asks the servers for one kind of address until one knows.
func (s Stub) ask(ctx context.Context, name string, kind uint16) (addrs []netip.Addr, err error) {
	err = errors.New("no name server")
	for range rounds {
		for _, server := range s.Servers {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			addrs, err = askOne(server, name, kind)
			if err == nil || errors.Is(err, ErrNoName) {
				return addrs, err
			}
		}
	}
	return nil, fmt.Errorf("name %q: %w", name, err)
}

// askOne asks one server, over TCP when the answer is too long for a packet.
func askOne(server netip.AddrPort, name string, kind uint16) ([]netip.Addr, error) {
	var id [2]byte
	// with the port, which the kernel chooses, what a forger would have to guess
	_, _ = unix.Getrandom(id[:], 0)
	query := appendQuery(nil, binary.BigEndian.Uint16(id[:]), name, kind)
	for _, stream := range []bool{false, true} {
		addrs, truncated, err := exchange(server, query, stream, binary.BigEndian.Uint16(id[:]),
			name, kind)
		if err != nil || !truncated {
			return addrs, err
		}
	}
	return nil, fmt.Errorf("name server %s: its answer is cut off", server)
}

func exchange(server netip.AddrPort, query []byte, stream bool, id uint16, name string,
	kind uint16) ([]netip.Addr, bool, error) {
	f, err := dial(server, stream)
	if err != nil {
		return nil, false, fmt.Errorf("name server %s: %w", server, err)
	}
	defer f.Close()
	_ = f.SetDeadline(time.Now().Add(patience))
	if stream {
		query = append(binary.BigEndian.AppendUint16(nil, uint16(len(query))), query...)
	}
	if _, err := f.Write(query); err != nil {
		return nil, false, fmt.Errorf("name server %s: %w", server, err)
	}
	for {
		m, err := receive(f, stream)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, false, fmt.Errorf("name server %s does not answer", server)
		case err != nil:
			return nil, false, fmt.Errorf("name server %s: %w", server, err)
		}
		addrs, truncated, code, err := parseAnswer(m, id, name, kind)
		switch {
		case err == errMessage && !stream:
			continue // an attacker guesses; the true answer may still come
		case err != nil:
			return nil, false, fmt.Errorf("name server %s: %w", server, err)
		case code == codeNoName:
			return nil, false, ErrNoName
		case code != codeOK:
			return nil, false, fmt.Errorf("name server %s: it answers with code %d", server, code)
		}
		return addrs, truncated, nil
	}
}

// receive reads one message.
func receive(f io.Reader, stream bool) ([]byte, error) {
	if !stream {
		m := make([]byte, 4096)
		n, err := f.Read(m)
		return m[:max(n, 0)], err
	}
	var size [2]byte
	if _, err := io.ReadFull(f, size[:]); err != nil {
		return nil, err
	}
	m := make([]byte, binary.BigEndian.Uint16(size[:]))
	_, err := io.ReadFull(f, m)
	return m, err
}

// dial connects a socket that the runtime waits for, so that no thread does.
func dial(server netip.AddrPort, stream bool) (*os.File, error) {
	kind := unix.SOCK_DGRAM
	if stream {
		kind = unix.SOCK_STREAM
	}
	family := unix.AF_INET6
	if server.Addr().Is4() {
		family = unix.AF_INET
	}
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Connect(fd, Sockaddr(server)); err != nil && err != unix.EINPROGRESS {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "name server"), nil // a write waits for the connection
}

// Sockaddr returns an address as the kernel takes it.
func Sockaddr(ap netip.AddrPort) unix.Sockaddr {
	if ap.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(ap.Port()), Addr: ap.Addr().As4()}
	}
	return &unix.SockaddrInet6{Port: int(ap.Port()), Addr: ap.Addr().As16()}
}
