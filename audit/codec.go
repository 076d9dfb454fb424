package audit

import "errors"

// A Codec compresses frames of a transcript, each whole in itself and no longer than longest;
// package audit/zstandard has the one that is used. The zero Codec is none: what is packed cannot
// be opened with it, and nothing can be packed.
type Codec struct {
	Encoder func(longest int) (encode func(plain, dst []byte) []byte, done func(), err error)
	Decoder func(longest int) (decode func(packed, dst []byte) ([]byte, error), done func(),
		err error)
}

// ErrPacked says that a transcript is packed, and that this program was given nothing to unpack it
// with.
var ErrPacked = errors.New(
	"the transcript is packed, and this program does not unpack; try: tadactl")

// packedSuffix names a transcript at rest.
const packedSuffix = ".zst"

// frameSize is how much plain text one zstd frame holds. Each is whole in
// itself, so a reader can start at any of them.
const frameSize = 1 << 20

// The seekable format (zstd/contrib/seekable_format): a skippable frame at
// the end that lists the frames before it. Plain decoders pass over it.
const (
	skippableMagic = 0x184D2A5E
	seekableMagic  = 0x8F92EAB1
	seekFooter     = 9 // number of frames, a byte of flags, seekableMagic
)
