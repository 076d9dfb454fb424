package archive

import "hash/maphash"

// A filter remembers ids in a fixed size (Bloom filter). It never forgets one, and takes few others
// for one of them: one in a thousand when there are half a million.
type filter struct {
	seed  maphash.Seed
	words []uint64
}

const (
	filterBits = 1 << 23
	// filterTries is how many bits are set for each id.
	filterTries = 4
)

func (f *filter) add(id string) {
	if f.words == nil {
		f.seed, f.words = maphash.MakeSeed(), make([]uint64, filterBits/64)
	}
	for bit := range f.bits(id) {
		f.words[bit/64] |= 1 << (bit % 64)
	}
}

// mayHave reports whether an id was added; sometimes also for one that was not.
func (f *filter) mayHave(id string) bool {
	if f.words == nil {
		return false
	}
	for bit := range f.bits(id) {
		if f.words[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
	}
	return true
}

// bits yields the bits of an id.
func (f *filter) bits(id string) func(yield func(bit uint64) bool) {
	return func(yield func(bit uint64) bool) {
		sum := maphash.String(f.seed, id)
		step := sum>>32 | 1
		for range filterTries {
			if !yield(sum % filterBits) {
				return
			}
			sum += step
		}
	}
}
