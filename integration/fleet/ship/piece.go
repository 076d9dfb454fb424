package ship

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"

	"github.com/tada-run/tada-run/approval/plan"
)

// The files of a record, as manifests name them.
const (
	logFile        = "log"
	sessionsFolder = "sessions/"
	castSuffix     = ".cast"
	plansFolder    = "plans/"
)

const (
	// maxObject is the most plain text that an object has.
	maxObject = 4 << 20
	// maxPieces is the most pieces that an object has.
	maxPieces = 2000
)

// fileName is every name that a file may have. A name becomes a path where a record is restored.
var fileName = regexp.MustCompile(`^(log|pruned\.[0-9]{6,9}|plans/[0-9a-f]{64}|` +
	`sessions/[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}\.cast)$`)

func sessionFile(id string) string { return sessionsFolder + id + castSuffix }
func planFile(name string) string  { return plansFolder + name }

// A piece is a part of a file. The pieces of an object are one behind the other.
type piece struct {
	File string
	From int64 // where it begins in the file
	Size int64
	Sum  string // SHA-256, in hexadecimal
	Last bool   // the file ends with it; never true of the log
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func isSum(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size && hex.EncodeToString(b) == s
}

func (p piece) fields() map[string]any {
	return map[string]any{"file": p.File, "from": p.From, "last": p.Last, "size": p.Size,
		"sum": p.Sum}
}

func readPiece(f plan.Fields) (piece, error) {
	p := piece{File: f.Text("file"), From: f.Number("from"), Size: f.Number("size"),
		Sum: f.Text("sum"), Last: f.Flag("last")}
	if !fileName.MatchString(p.File) || p.From < 0 || p.Size < 0 || p.Size > maxObject ||
		p.From > 1<<50 || !isSum(p.Sum) || p.Last && p.File == logFile {
		return piece{}, fmt.Errorf("%.80q is not a piece of a record", p.File)
	}
	return p, nil
}
