package audit

import (
	"errors"
	"io"
	"math"
)

// ReadAgain returns a second reader of a transcript that OpenTranscript opened. It begins at the
// start, and may be used while another goroutine uses the first; of a file that is still being
// written it reads as far as there is something. It must be closed before the transcript. The error
// is errors.ErrUnsupported for what can only be read by one.
func ReadAgain(transcript io.ReadSeeker) (io.ReadCloser, error) {
	switch t := transcript.(type) {
	case *packedFile:
		return t.again()
	case io.ReaderAt:
		return io.NopCloser(io.NewSectionReader(t, 0, math.MaxInt64)), nil
	}
	return nil, errors.ErrUnsupported
}

// again returns another reader of the same frames.
func (p *packedFile) again() (io.ReadCloser, error) {
	second := &packedFile{f: p.f, codec: p.codec, packed: p.packed, plain: p.plain, frame: -1}
	var err error
	second.decode, second.done, err = p.codec.Decoder(frameSize)
	return packedAgain{second}, err
}

// A packedAgain does not own its file.
type packedAgain struct{ *packedFile }

func (p packedAgain) Close() error {
	p.done()
	return nil
}
