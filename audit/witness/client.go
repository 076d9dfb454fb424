package witness

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// A Client asks one witness for its cosignature.
type Client struct {
	URL string // of the witness, without /add-checkpoint
	// nil: http.DefaultClient; one that dials a socket, for a witness on this machine
	HTTP *http.Client
}

// Latest returns the newest checkpoint that the witness has cosigned for a log, given by its
// origin, with its cosignature. Verify both. It is a *RefusedError if the witness has none.
func (c Client) Latest(ctx context.Context, origin string) ([]byte, error) {
	in, err := http.NewRequestWithContext(ctx, http.MethodGet,
		strings.TrimSuffix(c.URL, "/")+"/"+originName(origin)+"/checkpoint", nil)
	if err != nil {
		return nil, fmt.Errorf("witness %q: %w", c.URL, err)
	}
	status, answer, _, err := c.do(in)
	if err == nil && status != http.StatusOK {
		err = &RefusedError{status, strings.TrimSuffix(string(answer), "\n")}
	}
	return answer, err
}

// do sends a request, and returns the answer and its type.
func (c Client) do(in *http.Request) (status int, answer []byte, kind string, err error) {
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	out, err := client.Do(in)
	if err != nil {
		return 0, nil, "", fmt.Errorf("witness: %w", err)
	}
	defer out.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(out.Body, maxRequest))
	if err != nil {
		err = fmt.Errorf("witness %q: %w", c.URL, err)
	}
	return out.StatusCode, answer, out.Header.Get("Content-Type"), err
}

// Add asks the witness to cosign a checkpoint that grew out of the one with old entries, 0 for the
// first. It returns the lines to append to the checkpoint; verify them. The error is a
// *ConflictError, a *RefusedError, or one of the transport.
func (c Client) Add(ctx context.Context, old int64, proof tlog.TreeProof,
	signed []byte) ([]byte, error) {
	in, err := http.NewRequestWithContext(ctx, http.MethodPost,
		strings.TrimSuffix(c.URL, "/")+"/add-checkpoint",
		bytes.NewReader(AddBody(old, proof, signed)))
	if err != nil {
		return nil, fmt.Errorf("witness %q: %w", c.URL, err)
	}
	status, answer, kind, err := c.do(in)
	switch {
	case err != nil:
		return nil, err
	case status == http.StatusOK:
		return answer, nil
	}
	text := strings.TrimSuffix(string(answer), "\n")
	if size, err := parseSize(text); err == nil && status == http.StatusConflict &&
		kind == sizeType {
		return nil, &ConflictError{size}
	}
	return nil, &RefusedError{status, text}
}
