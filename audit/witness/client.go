package witness

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/tada-run/tada-run/audit"
)

// A Client asks one witness for its cosignature.
type Client struct {
	URL string // of the witness, without /add-checkpoint
	// nil: http.DefaultClient; one that dials a socket, for a witness on this machine
	HTTP *http.Client
}

// A ConflictError means that the witness remembers another size than the given one: ask again with
// a proof from Size. If the log has never had that many entries, it was cut.
type ConflictError struct{ Size int64 }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("the witness remembers %s", audit.Plural(e.Size, "entry"))
}

// A RefusedError is every other answer that is not a cosignature.
type RefusedError struct {
	Status int    // of HTTP, see the package comment
	Text   string // the witness's words, for people
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the witness refused (%d): %q", e.Status, e.Text)
}

// Add asks the witness to cosign a checkpoint that grew out of the one with old entries, 0 for the
// first. It returns the lines to append to the checkpoint; verify them. The error is a
// *ConflictError, a *RefusedError, or one of the transport.
func (c Client) Add(ctx context.Context, old int64, proof tlog.TreeProof,
	signed []byte) ([]byte, error) {
	var body bytes.Buffer
	fmt.Fprintf(&body, "old %d\n", old)
	for _, h := range proof {
		fmt.Fprintln(&body, base64.StdEncoding.EncodeToString(h[:]))
	}
	body.WriteString("\n")
	body.Write(signed)
	in, err := http.NewRequestWithContext(ctx, http.MethodPost,
		strings.TrimSuffix(c.URL, "/")+"/add-checkpoint", &body)
	if err != nil {
		return nil, fmt.Errorf("witness %q: %w", c.URL, err)
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	out, err := client.Do(in)
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	defer out.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(out.Body, maxRequest))
	switch {
	case err != nil:
		return nil, fmt.Errorf("witness %q: %w", c.URL, err)
	case out.StatusCode == http.StatusOK:
		return answer, nil
	}
	text := strings.TrimSuffix(string(answer), "\n")
	if size, err := parseSize(text); err == nil && out.StatusCode == http.StatusConflict &&
		out.Header.Get("Content-Type") == sizeType {
		return nil, &ConflictError{size}
	}
	return nil, &RefusedError{out.StatusCode, text}
}
