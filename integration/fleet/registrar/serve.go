package registrar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// The paths of the server.
const (
	JoinPath  = "/v1/join"
	RenewPath = "/v1/renew"
	FleetPath = "/v1/fleet"
)

// maxBody is the maximum length of a request, in bytes.
const maxBody = 16 << 10

const (
	// patience is how long etcd may take for one request.
	patience = 15 * time.Second
	// JoinWithin is how long a machine waits until it is let in, with others before it.
	JoinWithin = 5 * time.Minute
)

// Serve answers machines until the context ends, and expels those that are revoked.
func (r *Registrar) Serve(ctx context.Context, l net.Listener) error {
	access, err := r.folder.Serving()
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+JoinPath, r.letIn)
	mux.HandleFunc("POST "+RenewPath, r.renew)
	mux.HandleFunc("GET "+FleetPath, r.documents)
	server := &http.Server{Handler: mux, TLSConfig: access, ReadTimeout: patience,
		WriteTimeout: JoinWithin + patience, MaxHeaderBytes: maxBody}
	go r.expelling(ctx)
	for _, prefix := range []string{keyspace.Freezes, keyspace.Thaws, keyspace.Bundles} {
		go r.keepOrders(ctx, prefix)
	}
	go func() {
		<-ctx.Done()
		ending, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = server.Shutdown(ending)
	}()
	if err := server.ServeTLS(l, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// expelling expels machines when the fleet document changes. Others get the rights that they lack.
func (r *Registrar) expelling(ctx context.Context) {
	for widened := false; ctx.Err() == nil; {
		if !widened { // once: it reads the rights of every machine
			err := widen(ctx, r.etcd)
			if widened = err == nil; !widened {
				fmt.Fprintf(r.out, "tada-fleet: the rights of machines: %v\n", err)
			}
		}
		r.follow(ctx)
		changes := r.etcd.Watch(clientv3.WithRequireLeader(ctx), keyspace.Fleet)
		for range changes {
			r.follow(ctx)
		}
		r.pause(ctx)
	}
}

// pause waits after a watch was lost.
func (r *Registrar) pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// keepOrders keeps each order as soon as it is given.
func (r *Registrar) keepOrders(ctx context.Context, prefix string) {
	for ctx.Err() == nil {
		if fleet, err := r.fleet(ctx); err == nil {
			_, _ = r.folder.orders(ctx, r.etcd, fleet.Fleet)
		}
		for range r.etcd.Watch(clientv3.WithRequireLeader(ctx), prefix, clientv3.WithPrefix()) {
			if fleet, err := r.fleet(ctx); err == nil {
				_, _ = r.folder.orders(ctx, r.etcd, fleet.Fleet)
			}
		}
		r.pause(ctx)
	}
}

// follow does what the fleet document says now.
func (r *Registrar) follow(ctx context.Context) {
	if err := r.succeed(ctx); err != nil {
		fmt.Fprintf(r.out, "tada-fleet: the next key of the registrar: %v\n", err)
	}
	_ = r.Expel(ctx)
}

func (r *Registrar) letIn(w http.ResponseWriter, in *http.Request) {
	var j Joining
	if !readJSON(w, in, &j) {
		return
	}
	ctx, cancel := context.WithTimeout(in.Context(), JoinWithin)
	defer cancel()
	welcome, err := r.Join(ctx, j)
	r.answer(w, welcome, err)
}

func (r *Registrar) renew(w http.ResponseWriter, in *http.Request) {
	var j Joining
	if !readJSON(w, in, &j) {
		return
	}
	id, err := r.folder.machine(in.TLS.PeerCertificates, r.now())
	if err != nil {
		http.Error(w, errShown.Error(), http.StatusForbidden)
		return
	}
	ctx, cancel := context.WithTimeout(in.Context(), patience)
	defer cancel()
	welcome, err := r.Renew(ctx, id, j.Request)
	r.answer(w, welcome, err)
}

// documents answers every machine that was ever let in.
func (r *Registrar) documents(w http.ResponseWriter, in *http.Request) {
	if _, err := r.folder.machine(in.TLS.PeerCertificates, r.now()); err != nil {
		http.Error(w, errShown.Error(), http.StatusForbidden)
		return
	}
	since, err := strconv.ParseInt(in.FormValue("since"), 10, 64)
	if err != nil || since < 0 {
		http.Error(w, "since is not the serial of a document", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(in.Context(), patience)
	defer cancel()
	d, err := r.Documents(ctx, since)
	r.answer(w, d, err)
}

// errSlow is what a machine is told when etcd does not answer, or too many wait before it.
var errSlow = errors.New("etcd did not answer in time; try the same again in a minute")

// isSlow reports whether etcd is busy, or has no leader at the moment.
func isSlow(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	e, ok := errors.AsType[rpctypes.EtcdError](err)
	return ok && e.Code() == codes.Unavailable
}

func readJSON(w http.ResponseWriter, in *http.Request, v any) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, in.Body, maxBody))
	if err == nil {
		err = json.Unmarshal(body, v)
	}
	if err != nil {
		http.Error(w, "not a request of tadactl fleet join", http.StatusBadRequest)
	}
	return err == nil
}

// answer sends what became of a request. What etcd says is for whoever runs the registrar.
func (r *Registrar) answer(w http.ResponseWriter, what any, err error) {
	status := http.StatusOK
	switch {
	case err == nil:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(jsonLine(what))
		return
	case errors.Is(err, errNotInvited), errors.Is(err, errReplaced),
		errors.Is(err, document.ErrRevoked):
		status = http.StatusForbidden
	case errors.Is(err, errMember):
		status = http.StatusConflict
	case errors.Is(err, errRequest):
		status = http.StatusBadRequest
	case isSlow(err):
		fmt.Fprintf(r.out, "tada-fleet: %v\n", err)
		status, err = http.StatusServiceUnavailable, errSlow
	default:
		http.Error(w, "the registrar failed: see its own output", http.StatusBadGateway)
		fmt.Fprintf(r.out, "tada-fleet: %v\n", err)
		return
	}
	http.Error(w, err.Error(), status)
}
