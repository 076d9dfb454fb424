package undo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
)

const (
	magic      = "tada-undo"
	version    = 1
	frameHead  = 12
	maxPayload = 1 << 20 // a name and a path are far below it; so are all attributes of a file
)

// castagnoli takes a tenth of a millisecond to make, and most runs change nothing.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli()) }

// appendFrame appends a record to b: fill appends its payload.
func appendFrame(b []byte, fill func([]byte) []byte) []byte {
	at := len(b)
	b = fill(append(b, make([]byte, frameHead)...))
	h, payload := b[at:at+frameHead], b[at+frameHead:]
	binary.LittleEndian.PutUint32(h, uint32(len(payload)))
	binary.LittleEndian.PutUint32(h[4:], checksum(payload))
	binary.LittleEndian.PutUint32(h[8:], checksum(h[:8]))
	return b
}

// errTorn means that the end of the file cuts the record.
var errTorn = errors.New("the last record is cut")

// nextFrame returns the payload of the record at the start of b, and what follows it.
func nextFrame(b []byte) (payload, rest []byte, err error) {
	if len(b) < frameHead {
		return nil, nil, errTorn
	}
	h := b[:frameHead]
	if checksum(h[:8]) != binary.LittleEndian.Uint32(h[8:]) {
		return nil, nil, errors.New("the head of a record was changed")
	}
	n := binary.LittleEndian.Uint32(h)
	if n == 0 || n > maxPayload {
		return nil, nil, fmt.Errorf("a record has the length %d", n)
	}
	b = b[frameHead:]
	if uint64(len(b)) < uint64(n) {
		return nil, nil, errTorn
	}
	if payload = b[:n]; checksum(payload) != binary.LittleEndian.Uint32(h[4:]) {
		return nil, nil, errors.New("a record was changed")
	}
	return payload, b[n:], nil
}
