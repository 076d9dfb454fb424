package integration

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The pictures in testdata/screens are of pages that are the same each time. Another version of
// the browser draws letters in another way, so only the one that drew them compares them; it stands
// in the file BROWSER. To draw them anew: TEST_SCREENSHOTS=update.
var pictures = filepath.Join("testdata", "screens")

// browserVersion is the version of Chromium, as it says itself.
var browserVersion = sync.OnceValue(func() string {
	out, _ := exec.Command("chromium", "--version").Output()
	return strings.TrimSpace(string(out))
})

// mostDiffer is how much of a picture may differ, as a cursor or one letter does.
const mostDiffer = 0.002

// same compares a picture of a page with the one that is kept, if one is.
func (b *browser) same(name string, picture []byte) {
	b.t.Helper()
	file := filepath.Join(pictures, name+".png")
	want, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	drawnBy, err2 := os.ReadFile(filepath.Join(pictures, "BROWSER"))
	if err := errors.Join(err, err2); err != nil {
		b.t.Fatal(err)
	}
	if os.Getenv("TEST_SCREENSHOTS") == "update" {
		if err := errors.Join(os.WriteFile(file, picture, 0o600), os.WriteFile(
			filepath.Join(pictures, "BROWSER"), []byte(browserVersion()+"\n"), 0o600)); err != nil {
			b.t.Error(err)
		}
		return
	}
	if strings.TrimSpace(string(drawnBy)) != browserVersion() {
		b.t.Logf("%s is not compared: it was drawn by %s", name, drawnBy)
		return
	}
	if part, err := differs(picture, want); err != nil || part > mostDiffer {
		b.t.Errorf("%s is not as in %s: %.2f %% of it differs (%v); to look: TEST_SCREENSHOTS=DIR",
			name, file, 100*part, err)
	}
}

// differs returns the part of two pictures that a person sees to be different, 0 to 1.
func differs(a, b []byte) (float64, error) {
	one, err := png.Decode(bytes.NewReader(a))
	two, err2 := png.Decode(bytes.NewReader(b))
	if err := errors.Join(err, err2); err != nil {
		return 1, err
	}
	if one.Bounds() != two.Bounds() {
		return 1, fmt.Errorf("%v and %v", one.Bounds(), two.Bounds())
	}
	n, size := 0, one.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			if far(one.At(x, y), two.At(x, y)) {
				n++
			}
		}
	}
	return float64(n) / float64(size.Dx()*size.Dy()), nil
}

// far reports whether two colours are far from each other.
func far(a, b color.Color) bool {
	const most = 40 << 8
	r1, g1, b1, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	for _, pair := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}} {
		if max(pair[0], pair[1])-min(pair[0], pair[1]) > most {
			return true
		}
	}
	return false
}

// A picture with a line more is another one.
func TestDiffers(t *testing.T) {
	t.Parallel()
	drawn := func(line int) []byte {
		m := image.NewGray(image.Rect(0, 0, 360, 900))
		for x := range 360 {
			for y := range line {
				m.SetGray(x, 100+y, color.Gray{255})
			}
		}
		var out bytes.Buffer
		if err := png.Encode(&out, m); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	if part, err := differs(drawn(0), drawn(0)); part != 0 || err != nil {
		t.Error(part, err)
	}
	if part, err := differs(drawn(0), drawn(3)); part <= mostDiffer || err != nil {
		t.Error(part, err)
	}
	if _, err := differs(drawn(0), []byte("x")); err == nil {
		t.Error("no picture is one")
	}
}
