package audit

import "errors"

// A Codec compresses frames of a transcript, each whole in itself and no longer than longest;
// package audit/zstandard has the one that is used. The zero Codec is none: what is packed cannot
// be opened with it, and nothing can be packed.
type Codec struct {
	Encoder func(longest int) (encode func(plain, dst []byte) []byte, done func(), err error)
	Decoder func(longest int) (decode func(packed, dst []byte) ([]byte, error), done func(), err error)
}

// ErrPacked says that a transcript is packed, and that this program was given nothing to unpack it
// with.
var ErrPacked = errors.New("the transcript is packed, and this program does not unpack; try: tadactl")
