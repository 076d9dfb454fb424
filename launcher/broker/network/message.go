package network

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"strings"
)

// The few numbers of RFC 1035, 3596, 6891 and 8914 that are needed.
const (
	typeA, typeCNAME, typeAAAA, typeOPT = 1, 5, 28, 41
	typeSVCB, typeHTTPS                 = 64, 65 // RFC 9460
	classIN                             = 1
	codeOK, codeFormat, codeServer      = 0, 1, 2
	codeNoName, codeNotImplemented      = 3, 4
	codeRefused                         = 5

	flagResponse, flagTruncated, flagRecursion, flagAvailable = 1 << 15, 1 << 9, 1 << 8, 1 << 7
	opcodeMask                                                = 0xf << 11

	extendedError, prohibited = 15, 18

	headerSize = 12
	// maxMessage is what a message over UDP may have: DNS without extensions has 512 bytes, with
	// them resolvers send what fits in a packet.
	maxMessage = 1232
)

// A question is a message that asks one thing.
type question struct {
	id       uint16
	flags    uint16
	name     string // lower case, without the last dot; "" is the root
	raw      []byte // the question section as it came, spelled as it was
	kind     uint16
	class    uint16
	extended bool // it has an OPT record: the answer may have one
}

var (
	errMessage = errors.New("not a DNS message")
	errFormat  = errors.New("a DNS message without a readable question")
)

// parseQuestion reads a query. errMessage means that it is none, and nothing can be said to it;
// with errFormat the header is there to answer to.
func parseQuestion(m []byte) (q question, err error) {
	if len(m) < headerSize {
		return q, errMessage
	}
	q.id, q.flags = binary.BigEndian.Uint16(m), binary.BigEndian.Uint16(m[2:])
	if q.flags&flagResponse != 0 {
		return q, errMessage
	}
	if binary.BigEndian.Uint16(m[4:]) != 1 || binary.BigEndian.Uint16(m[6:]) != 0 ||
		binary.BigEndian.Uint16(m[8:]) != 0 {
		return q, errFormat
	}
	name, end, err := readName(m, headerSize, false)
	if err != nil || len(m) < end+4 {
		return q, errFormat
	}
	q.name, q.kind, q.class = name, binary.BigEndian.Uint16(m[end:]),
		binary.BigEndian.Uint16(m[end+2:])
	q.raw = m[headerSize : end+4]
	q.extended = binary.BigEndian.Uint16(m[10:]) == 1 && len(m) >= end+15 && m[end+4] == 0 &&
		binary.BigEndian.Uint16(m[end+5:]) == typeOPT
	return q, nil
}

// readName reads a name at an offset, in lower case, and returns where it ends. Pointers are
// followed only backwards, each farther back than the one before, so that it ends. A name with
// other bytes than host names have is an error: no rule could allow it, and a dot in a label would
// be another name.
func readName(m []byte, at int, pointers bool) (name string, end int, err error) {
	var text []byte
	least := at
	for {
		if at >= len(m) {
			return "", 0, errFormat
		}
		n := int(m[at])
		switch {
		case n == 0:
			if end == 0 {
				end = at + 1
			}
			return string(text), end, nil
		case n&0xc0 == 0xc0 && pointers && at+1 < len(m):
			to := n&0x3f<<8 | int(m[at+1])
			if end == 0 {
				end = at + 2
			}
			if to >= least {
				return "", 0, errFormat
			}
			at, least = to, to
			continue
		case n > 63 || at+1+n > len(m) || len(text)+n+1 > 254:
			return "", 0, errFormat
		}
		if len(text) > 0 {
			text = append(text, '.')
		}
		for _, c := range m[at+1 : at+1+n] {
			switch {
			case c >= 'A' && c <= 'Z':
				c += 'a' - 'A'
			case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
			default:
				return "", 0, errFormat
			}
			text = append(text, c)
		}
		at += 1 + n
	}
}

// appendName appends a name as it goes over the wire.
func appendName(m []byte, name string) []byte {
	for label := range strings.SplitSeq(name, ".") {
		if label != "" {
			m = append(append(m, byte(len(label))), label...)
		}
	}
	return append(m, 0)
}

// answerTTL is how many seconds the child may keep an answer: no longer than we do.
const answerTTL = 30

// answerTo is the answer to the child: its own question, the addresses of the kind that it asked
// for, a code. If not all fit in 512 bytes the rest is left out, which every client accepts.
func answerTo(q question, code uint16, addrs []netip.Addr, refused bool) []byte {
	m := binary.BigEndian.AppendUint16(nil, q.id)
	m = binary.BigEndian.AppendUint16(m,
		flagResponse|q.flags&(opcodeMask|flagRecursion)|flagAvailable|code)
	questions, answers, extra := uint16(0), uint16(0), uint16(0)
	if q.raw != nil {
		questions = 1
	}
	if q.extended {
		extra = 1
	}
	m = binary.BigEndian.AppendUint16(m, questions)
	m = append(m, 0, 0, 0, 0)
	m = binary.BigEndian.AppendUint16(m, extra)
	m = append(m, q.raw...)
	for _, addr := range addrs {
		if addr.Is4() != (q.kind == typeA) || len(m) > 512-28-17 {
			continue
		}
		answers++
		m = binary.BigEndian.AppendUint16(m, 0xc000|headerSize) // the name in the question
		m = binary.BigEndian.AppendUint16(m, q.kind)
		m = binary.BigEndian.AppendUint16(m, classIN)
		m = binary.BigEndian.AppendUint32(m, answerTTL)
		m = binary.BigEndian.AppendUint16(m, uint16(addr.BitLen()/8))
		m = append(m, addr.AsSlice()...)
	}
	binary.BigEndian.PutUint16(m[6:], answers)
	if !q.extended {
		return m
	}
	m = append(m, 0)
	m = binary.BigEndian.AppendUint16(m, typeOPT)
	m = binary.BigEndian.AppendUint16(m, maxMessage)
	m = binary.BigEndian.AppendUint32(m, 0)
	if !refused {
		return append(m, 0, 0)
	}
	m = binary.BigEndian.AppendUint16(m, 6)
	m = binary.BigEndian.AppendUint16(m, extendedError)
	m = binary.BigEndian.AppendUint16(m, 2)
	return binary.BigEndian.AppendUint16(m, prohibited)
}

// appendQuery appends our own question for a name.
func appendQuery(m []byte, id uint16, name string, kind uint16) []byte {
	m = binary.BigEndian.AppendUint16(m, id)
	m = binary.BigEndian.AppendUint16(m, flagRecursion)
	m = append(m, 0, 1, 0, 0, 0, 0, 0, 1)
	m = appendName(m, name)
	m = binary.BigEndian.AppendUint16(m, kind)
	m = binary.BigEndian.AppendUint16(m, classIN)
	m = append(m, 0)
	m = binary.BigEndian.AppendUint16(m, typeOPT)
	m = binary.BigEndian.AppendUint16(m, maxMessage)
	return append(m, 0, 0, 0, 0, 0, 0)
}

// parseAnswer reads a server's answer to our question and returns the addresses that it gives for
// the name, by way of aliases too. errMessage means that it is no answer to this question at all,
// and the true one may still come.
func parseAnswer(m []byte, id uint16, name string,
	kind uint16) (addrs []netip.Addr, truncated bool, code uint16, err error) {
	if len(m) < headerSize || binary.BigEndian.Uint16(m) != id {
		return nil, false, 0, errMessage
	}
	flags := binary.BigEndian.Uint16(m[2:])
	if flags&flagResponse == 0 || flags&opcodeMask != 0 || binary.BigEndian.Uint16(m[4:]) != 1 {
		return nil, false, 0, errMessage
	}
	asked, at, err := readName(m, headerSize, true)
	if err != nil || asked != name || len(m) < at+4 || binary.BigEndian.Uint16(m[at:]) != kind ||
		binary.BigEndian.Uint16(m[at+2:]) != classIN {
		return nil, false, 0, errMessage
	}
	at += 4
	for range binary.BigEndian.Uint16(m[6:]) {
		owner, end, err := readName(m, at, true)
		if err != nil || len(m) < end+10 {
			return nil, false, 0, errFormat
		}
		size := int(binary.BigEndian.Uint16(m[end+8:]))
		data := end + 10
		if len(m) < data+size {
			return nil, false, 0, errFormat
		}
		at = data + size
		if owner != name || binary.BigEndian.Uint16(m[end+2:]) != classIN {
			continue
		}
		// Servers write an alias before its target, so that one pass is enough (RFC 1034 §4.3.2).
		switch got := binary.BigEndian.Uint16(m[end:]); {
		case got == typeCNAME:
			if name, _, err = readName(m, data, true); err != nil {
				return nil, false, 0, errFormat
			}
		case got == kind && (kind == typeA && size == 4 || kind == typeAAAA && size == 16):
			if addr, ok := netip.AddrFromSlice(m[data : data+size]); ok {
				addrs = append(addrs, addr)
			}
		}
	}
	return addrs, flags&flagTruncated != 0, flags & 0xf, nil
}
