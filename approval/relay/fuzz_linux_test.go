package relay_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay"
)

// FuzzAgent lets an agent say anything. Without a Done nothing has happened for the client.
func FuzzAgent(f *testing.F) {
	const welcome, begun = "\x00\x00\x00\x09\x01H\x01\x00\x00\x00\x00\x00\x00\x00\x00",
		"\x00\x00\x00\x11\x01B\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	const value, names = "\x00\x00\x00\x06\x01V\x01\x00\x00\x00\x01v",
		"\x00\x00\x00\x0a\x01N\x00\x00\x00\x00\x01\x00\x00\x00\x01k"
	f.Add(welcome + begun + value + names + "\x00\x00\x00\x00\x01D")
	f.Add(welcome + begun + value + names + begun + value + names + "\x00\x00\x00\x00\x01D")
	f.Add(welcome + "\x00\x00\x00\x0d\x01Fc" + strings.Repeat("\x00", 12))
	path := socket(f)
	var mu sync.Mutex
	says := ""
	lies(f, path, func(conn net.Conn) {
		mu.Lock()
		text := says
		mu.Unlock()
		conn.Write([]byte(text))
		conn.(*net.UnixConn).CloseWrite()
		io.Copy(io.Discard, conn)
	})
	f.Fuzz(func(t *testing.T, text string) {
		mu.Lock()
		says = text
		mu.Unlock()
		db := relay.Socket(path, options(20*time.Millisecond))
		err := db.Update(context.Background(), func(tx approval.Tx) error {
			tx.Get(approval.OutboxBucket, "k")
			tx.Keys(approval.OutboxBucket)
			return tx.Put(approval.OutboxBucket, "k", nil)
		})
		if err == nil && !strings.Contains(text, "\x01D") && !strings.Contains(text, "\x01A") {
			t.Errorf("%q is success", text)
		}
	})
}
