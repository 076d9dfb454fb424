package zstandard

import "github.com/klauspost/compress/zstd"

// Encoder returns a function that compresses one frame of at most longest bytes and appends it to
// dst, on one processor.
func Encoder(longest int) (encode func(plain, dst []byte) []byte, done func(), err error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(longest))
	if err != nil {
		return nil, nil, err
	}
	return enc.EncodeAll, func() { enc.Close() }, nil
}

// Decoder returns a function that appends one unpacked frame, of at most longest bytes, to dst.
func Decoder(
	longest int) (decode func(packed, dst []byte) ([]byte, error), done func(), err error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxWindow(8<<20),
		zstd.WithDecoderMaxMemory(uint64(longest)), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, nil, err
	}
	return dec.DecodeAll, dec.Close, nil
}
