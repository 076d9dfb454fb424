package wire

import (
	"bytes"
	"os"
	"reflect"
	"testing"
)

// recorded has one frame of each kind as version 1 of the protocol sends it.
const recorded = "testdata/version1"

// A program and an agent of an earlier version understand each other: every frame that is sent now
// is the one that was recorded then, and that one is read as what was meant. Whoever changes a
// frame makes another version, which both sides refuse with the words that say so.
func TestAgentOfAnEarlierVersion(t *testing.T) {
	var frames []byte
	for _, m := range one() {
		var err error
		if frames, err = Append(frames, m); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	if Version != 1 || !bytes.Equal(old, frames) {
		t.Errorf("version %d: the frames are other ones:\n%q\n%q", Version, frames, old)
	}
	c := NewConn(bytes.NewBuffer(old))
	for _, want := range one() {
		if got, err := c.Receive(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v, %v", got, want, err)
		}
	}
}
