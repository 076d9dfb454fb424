package witness

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"golang.org/x/mod/sumdb/note"
)

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
	return w.cosign(originName(r.origin), log, r)
}

// Cosign handles the body of an add-checkpoint for a log that is not one of Options.Logs. What was
// seen of it is remembered under a name, which is that of a file and no origin's. It returns
// cosignature lines; the error is a *ConflictError or a *RefusedError.
func (w *Witness) Cosign(name string, log note.Verifier, body []byte) ([]byte, error) {
	r, err := parseRequest(body)
	if err == nil && r.origin != log.Name() {
		err = fmt.Errorf("the checkpoint is of log %q, and its key of %q", r.origin, log.Name())
	}
	if err != nil {
		return nil, &RefusedError{http.StatusBadRequest, err.Error()}
	}
	lines, refused := w.cosign(name, log, r)
	if refused != nil {
		return nil, refused.err()
	}
	return lines, nil
}

// Seen returns how many entries were seen of a log that is remembered under a name; 0 for none.
func (w *Witness) Seen(name string) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	was, err := w.remembered(name)
	return was.size, err
}

// cosign handles a request for a log whose checkpoint is remembered under a name.
func (w *Witness) cosign(name string, log note.Verifier, r request) ([]byte, *refusal) {
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
	was, err := w.remembered(name)
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
	if err := w.store.save(name, append(append([]byte{}, r.signed...), lines...)); err != nil {
		return nil, refuse(http.StatusInternalServerError, "it cannot be stored")
	}
	return lines, nil
}

// remembered returns the size and root that the witness is bound to.
func (w *Witness) remembered(name string) (checkpoint, error) {
	signed, err := w.store.load(name)
	if err != nil || signed == nil {
		return checkpoint{}, err
	}
	text, _, ok := strings.Cut(string(signed), "\n\n")
	if !ok {
		return checkpoint{}, errors.New("not a checkpoint")
	}
	return parseCheckpoint(text + "\n")
}
