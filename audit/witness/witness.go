package witness

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/tada-run/tada-run/audit"
)

// maxRequest is the maximum size of a request: many times that of a checkpoint with a hundred
// signatures and 63 hashes.
const maxRequest = 64 << 10

// sizeType is the content type of a conflict's answer.
const sizeType = "text/x.tlog.size"

// Options are what a witness needs from outside.
type Options struct {
	Signer note.Signer     // a *Cosigner; required
	Logs   []note.Verifier // the logs that are watched: a key's name is the log's origin
}

// A Witness serves the protocol. It is an http.Handler.
type Witness struct {
	mu    sync.Mutex
	store *store
	o     Options
	logs  map[string]note.Verifier // by origin
}

// Open begins to serve from dir, which it creates. It returns ErrBusy if another process serves
// from it, because two could remember two histories.
func Open(dir string, o Options) (*Witness, error) {
	if o.Signer == nil {
		return nil, errors.New("open witness: no signer given")
	}
	w := &Witness{o: o, logs: map[string]note.Verifier{}}
	for _, v := range o.Logs {
		w.logs[v.Name()] = v
	}
	var err error
	if w.store, err = openStore(dir); err != nil {
		return nil, fmt.Errorf("open witness %q: %w", dir, err)
	}
	return w, nil
}

// Close lets another process serve from the folder.
func (w *Witness) Close() error { return w.store.close() }

// ServeHTTP answers one request.
func (w *Witness) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	switch name, ok := strings.CutSuffix(strings.TrimPrefix(in.URL.Path, "/"), "/checkpoint"); {
	case in.Method == http.MethodPost && in.URL.Path == "/add-checkpoint":
		w.add(out, in)
	case in.Method == http.MethodGet && ok:
		w.show(out, name)
	default:
		http.Error(out, "no such thing here", http.StatusNotFound)
	}
}

func (w *Witness) show(out http.ResponseWriter, name string) {
	for origin := range w.logs {
		if originName(origin) != name {
			continue
		}
		w.mu.Lock()
		signed, err := w.store.load(name)
		w.mu.Unlock()
		if err == nil && signed != nil {
			out.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = out.Write(signed)
			return
		}
	}
	http.Error(out, "nothing is remembered of such a log", http.StatusNotFound)
}

func (w *Witness) add(out http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(out, in.Body, maxRequest))
	if err != nil {
		http.Error(out, "the request cannot be read", http.StatusBadRequest)
		return
	}
	lines, refused := w.consider(body)
	if refused != nil {
		if refused.size {
			out.Header().Set("Content-Type", sizeType)
		}
		out.WriteHeader(refused.status)
		_, _ = io.WriteString(out, refused.text+"\n")
		return
	}
	_, _ = out.Write(lines)
}

// A refusal is an answer that is not 200.
type refusal struct {
	status int
	text   string
	size   bool // the text is the size that is remembered
}

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status: status, text: fmt.Sprintf(format, args...)}
}

// consider handles a request, and returns cosignature lines or a refusal.
func (w *Witness) consider(body []byte) ([]byte, *refusal) {
	r, err := parseRequest(body)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "%v", err)
	}
	log, ok := w.logs[r.origin]
	if !ok {
		return nil, refuse(http.StatusNotFound, "no log %q is watched here", r.origin)
	}
	opened, err := note.Open(r.signed, note.VerifierList(log))
	if err != nil {
		return nil, refuse(http.StatusForbidden, "the checkpoint is not signed by the key of %q",
			r.origin)
	}
	new, err := parseCheckpoint(opened.Text)
	switch {
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "%v", err)
	case r.old > new.size:
		return nil, refuse(http.StatusBadRequest,
			"the old size %d is larger than the checkpoint's, %d", r.old, new.size)
	}
	// Reading what is remembered and replacing it is one step, which no other request can
	// interrupt.
	w.mu.Lock()
	defer w.mu.Unlock()
	was, err := w.remembered(r.origin)
	if err != nil {
		return nil, refuse(http.StatusInternalServerError, "the stored checkpoint cannot be read")
	}
	if refused := r.follows(was, new); refused != nil {
		return nil, refused
	}
	cosigned, err := note.Sign(&note.Note{Text: opened.Text}, w.o.Signer)
	if err != nil {
		return nil, refuse(http.StatusInternalServerError, "it cannot be signed")
	}
	lines := cosigned[len(opened.Text)+1:]
	if err := w.store.save(originName(r.origin),
		append(append([]byte{}, r.signed...), lines...)); err != nil {
		return nil, refuse(http.StatusInternalServerError, "it cannot be stored")
	}
	return lines, nil
}

// remembered returns the size and root that the witness is bound to.
func (w *Witness) remembered(origin string) (checkpoint, error) {
	signed, err := w.store.load(originName(origin))
	if err != nil || signed == nil {
		return checkpoint{}, err
	}
	text, _, ok := strings.Cut(string(signed), "\n\n")
	if !ok {
		return checkpoint{}, errors.New("not a checkpoint")
	}
	return parseCheckpoint(text + "\n")
}

// originName is the name of a log in paths, which is public.
func originName(origin string) string {
	sum := sha256.Sum256([]byte(origin))
	return hex.EncodeToString(sum[:])
}

// A request is the body of an add-checkpoint.
type request struct {
	old    int64
	proof  tlog.TreeProof
	signed []byte
	origin string
}

func parseRequest(body []byte) (r request, err error) {
	head, signed, ok := strings.Cut(string(body), "\n\n")
	lines := strings.Split(head, "\n")
	size, ok2 := strings.CutPrefix(lines[0], "old ")
	if r.old, err = parseSize(size); !ok || !ok2 || err != nil || len(lines) > 1+63 {
		return r, errors.New("not an add-checkpoint request")
	}
	for _, line := range lines[1:] {
		h, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(h) != tlog.HashSize {
			return r, errors.New("the proof is not hashes in base64")
		}
		r.proof = append(r.proof, tlog.Hash(h))
	}
	r.signed = []byte(signed)
	r.origin, _, ok = strings.Cut(signed, "\n")
	if !ok || r.origin == "" {
		return r, errors.New("there is no checkpoint")
	}
	return r, nil
}

// follows returns why a checkpoint cannot follow the remembered one.
func (r request) follows(was, new checkpoint) *refusal {
	switch {
	case r.old != was.size:
		return &refusal{http.StatusConflict, strconv.FormatInt(was.size, 10), true}
	case was.size == new.size && was.size > 0 && was.root != new.root:
		return refuse(http.StatusConflict, "another log of %s was seen",
			audit.Plural(was.size, "entry"))
	case was.size == 0 || was.size == new.size:
		if len(r.proof) > 0 {
			return refuse(http.StatusUnprocessableEntity,
				"there is nothing to prove, and a proof was sent")
		}
		return nil
	}
	if err := tlog.CheckTree(r.proof, new.size, new.root, was.size, was.root); err != nil {
		return refuse(http.StatusUnprocessableEntity, "the log does not extend the stored one")
	}
	return nil
}

type checkpoint struct {
	size int64
	root tlog.Hash
}

func parseCheckpoint(text string) (c checkpoint, err error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 {
		return c, errors.New("not a checkpoint")
	}
	size, err := parseSize(lines[1])
	root, err2 := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || err2 != nil || len(root) != tlog.HashSize {
		return c, errors.New("not a checkpoint")
	}
	return checkpoint{size, tlog.Hash(root)}, nil
}

// parseSize reads a size in its one spelling.
func parseSize(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 62)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != s {
		return 0, errors.New("not a size")
	}
	return n, nil
}
