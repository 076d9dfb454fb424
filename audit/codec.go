package audit

import "errors"

// A Codec compresses frames of a transcript. Each frame is independent and at most longest bytes
// long. Package audit/zstandard has the codec in use. The zero Codec is none: with it, packed files
// cannot be opened and nothing can be packed.
type Codec struct {
	Encoder func(longest int) (encode func(plain, dst []byte) []byte, done func(), err error)
	Decoder func(longest int) (decode func(packed, dst []byte) ([]byte, error), done func(),
		err error)
}

// ErrPacked is returned for a packed transcript or part of the log if the program has no codec to
// unpack it.
var ErrPacked = errors.New("it is packed, and this program does not unpack; try: tadactl")

// packedSuffix names a packed transcript.
const packedSuffix = ".zst"

// frameSize is how much plain text one zstd frame holds. Frames are independent, so a reader can
// start at any of them.
const frameSize = 1 << 20

// The seekable format (zstd/contrib/seekable_format): a skippable frame at the end that lists the
// frames before it. Plain decoders skip it.
const (
	skippableMagic = 0x184D2A5E
	seekableMagic  = 0x8F92EAB1
	seekFooter     = 9 // number of frames, a byte of flags, seekableMagic
)
