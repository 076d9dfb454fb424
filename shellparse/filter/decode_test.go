package filter

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// encodings are the filters that are followed, with input that they can read made of text.
var encodings = []struct {
	line   string
	encode func(text string) string
}{
	{"base64 -d", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base64 --decode",
		func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) + "\n" }},
	{"base64 -d", func(s string) string { return s }},
	{"base64 -d", func(s string) string {
		return strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(s)), "=") + "\n"
	}},
	{"xxd -r -p", func(s string) string { return hex.EncodeToString([]byte(s)) + "\n" }},
	{"xxd -r -p", func(s string) string { return s }},
	{"rev", same}, {"tac", same},
	{"tr a-z n-za-m", same}, {"tr A-Za-z N-ZA-Mn-za-m", same}, {"tr a b", same},
	{"tr abc xy", same}, {"tr ab xyz", same},
	{"tr -d x", same}, {"tr -d a-m", same}, {"tr -s a", same}, {"tr -s ' '", same},
	{"tr -cd a-z", same}, {"tr -c a-z _", same},
	{"tr [:lower:] [:upper:]", same}, {"tr [:upper:] [:lower:]", same},
	{"tr [:lower:] [:digit:]", same}, {"tr [:digit:] x", same},
	{`tr '\n' ' '`, same}, {`tr ' ' '\n'`, same}, {"tr -- -a xy", same}, {"tr a- xy", same},
	{"tr aa xy", same}, {"tr '[a-z]' '[b-za]'", same},
	{`tr '\141' x`, same}, {"tr -d '[:space:]'", same}, {"tr -sc a-z _", same},
	{"tr '[a*2]' xy", same}, {"tr z-a x", same},
	{"sed s/a/b/", same}, {"sed s/a/b/g", same}, {"sed s,a,/,g", same},
	{"sed 's/a/b/;s/b/c/g'", same}, {"sed -e s/a/b/ -e s/x//", same},
	{"sed y/abc/xyz/", same}, {"sed y/aab/xyz/", same}, {"sed s/./b/", same},
	{"sed 's/a/&&/'", same}, {`sed 's/a/\n/'`, same},
	{"sed -n s/a/b/p", same}, {"sed s/a/b/2", same}, {"sed 's/a b/c/'", same},
	{"sed 's/a/b/ ; s/c/d/ '", same}, {"sed s/a/x/i", same}, {"sed sxaxbx", same},
}

func same(s string) string { return s }

// What a filter makes of known text is what the program makes of it, or is not followed.
func TestDecodersAgainstPrograms(t *testing.T) {
	t.Parallel()
	texts := []string{"rm -rf /x\n", "rm -rf /x", "", "\n", "aabbc  xyz\nabcabc\n", "a\n\nb",
		"Hello-World [a-z] 42\n", "x\ty\vz\n"}
	r := rand.New(rand.NewPCG(1, 1))
	for range 2 {
		var b strings.Builder
		for range r.IntN(80) {
			b.WriteByte(" \nabcdefxyzABC019-/[]="[r.IntN(21)])
		}
		texts = append(texts, b.String())
	}
	followed, missing := 0, map[string]bool{}
	for _, e := range encodings {
		program, rest, _ := strings.Cut(e.line, " ")
		if _, err := exec.LookPath(program); err != nil {
			missing[program] = true
			continue
		}
		decode := Of(program)
		args := words(rest)
		for _, text := range texts {
			in := e.encode(text)
			got, ok := decode(args, in)
			if !ok {
				continue
			}
			followed++
			cmd := exec.Command(program, args...)
			cmd.Stdin = strings.NewReader(in)
			want, err := cmd.Output()
			if err != nil || !bytes.Equal(want, []byte(got)) {
				t.Errorf("%s of %q: followed as %q, the program makes %q, %v", e.line, in, got,
					want, err)
			}
		}
	}
	t.Logf("%d outputs are followed and agree; not installed: %v", followed, missing)
	if followed < 100 {
		t.Error("almost nothing is followed")
	}
}

// words are those of a line in which single quotes are the only ones.
func words(line string) (list []string) {
	for i, piece := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, piece)
		} else {
			list = append(list, strings.Fields(piece)...)
		}
	}
	return list
}
