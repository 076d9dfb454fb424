package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/witness"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/upkeep"
)

func (c *ctl) auditWitness() *cobra.Command {
	cmd := &cobra.Command{Use: "witness"}
	cmd.AddCommand(c.witnessServe(), c.witnessAdd())
	return cmd
}

func (c *ctl) witnessServe() *cobra.Command {
	var dir, listen, name string
	var logs []string
	cmd := verb("serve --dir DIR --listen ADDRESS --log KEY", cobra.NoArgs, func(cmd *cobra.Command,
		_ []string) error {
		if dir == "" || listen == "" || len(logs) == 0 {
			return usagef("--dir, --listen and at least one --log are needed")
		}
		w, key, err := openWitness(dir, name, logs)
		if err != nil {
			return err
		}
		defer w.Close()
		return c.serve(cmd.Context(), w, listen, key)
	})
	cmd.Flags().StringVar(&dir, "dir", "", "")
	cmd.Flags().StringVar(&listen, "listen", "", "")
	cmd.Flags().StringVar(&name, "name", "tada-run.witness", "")
	cmd.Flags().StringArrayVar(&logs, "log", nil, "")
	return cmd
}

// openWitness opens a witness's folder, with a new key if there is none.
func openWitness(dir, name string, logs []string) (*witness.Witness, string, error) {
	var watched []note.Verifier
	for _, key := range logs {
		v, err := note.NewVerifier(key)
		if err != nil {
			return nil, "", usagef("--log %q is not NAME+HASH+KEY: %w", key, err)
		}
		watched = append(watched, v)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", err
	}
	path := filepath.Join(dir, "witness.key")
	secret, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		var text string
		if text, _, err = witness.GenerateKey(rand.Reader, name); err != nil {
			return nil, "", &usageError{err}
		}
		secret = []byte(text + "\n")
		err = os.WriteFile(path, secret, 0o600)
	}
	if err != nil {
		return nil, "", err
	}
	signer, err := witness.NewCosigner(strings.TrimSpace(string(secret)), time.Now)
	if err != nil {
		return nil, "", fmt.Errorf("key of the witness %q: %w", path, err)
	}
	w, err := witness.Open(dir, witness.Options{Signer: signer, Logs: watched})
	return w, signer.PublicKey(), err
}

// serve answers until a signal ends it.
func (c *ctl) serve(ctx context.Context, w http.Handler, listen, key string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	network, address := "tcp", listen
	if path, ok := strings.CutPrefix(listen, "unix:"); ok {
		network, address = "unix", path
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, network, address)
	if err != nil {
		return err
	}
	if c.json {
		err = c.printJSON(map[string]any{"key": key, "address": l.Addr().String()})
	} else {
		_, err = fmt.Fprintf(c.out, "%s\nlistening on %s\n", key, l.Addr())
	}
	if err != nil {
		return err
	}
	server := &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout: 30 * time.Second}
	go func() {
		<-ctx.Done()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = server.Shutdown(ctx)
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (c *ctl) witnessAdd() *cobra.Command {
	var key string
	cmd := verb("add URL --witness KEY", cobra.ExactArgs(1), func(cmd *cobra.Command,
		args []string) error {
		if key == "" {
			return usagef(
				"--witness is needed: the key that `tadactl audit witness serve` prints")
		}
		l, err := c.open()
		if err != nil {
			return err
		}
		at, err := cosign(cmd.Context(), l, args[0], key)
		if err != nil {
			return changed(err)
		}
		return c.say(map[string]any{"witness": at.Witness,
			"time": at.Time.UTC().Format(time.RFC3339)}, "cosigned by %s at %s\n",
			inert(at.Witness),
			at.Time.Local().Format(time.DateTime))
	})
	cmd.Flags().StringVar(&key, "witness", "", "")
	return cmd
}

// client speaks HTTP, over a socket for unix:PATH.
func client(url string) witness.Client {
	path, ok := strings.CutPrefix(url, "unix:")
	if !ok {
		return witness.Client{URL: url, HTTP: &http.Client{Timeout: time.Minute}}
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	return witness.Client{URL: "http://witness", HTTP: &http.Client{Timeout: time.Minute,
		Transport: &http.Transport{DialContext: dial}}}
}

// cosign asks one witness for its cosignature, and stores it.
func cosign(ctx context.Context, l *launcher.Launcher, url, key string) (audit.Cosignature, error) {
	w, err := audit.NewWitnessKey(key)
	if err != nil {
		return audit.Cosignature{}, &usageError{err}
	}
	signed, own, err := l.Checkpoint()
	if err != nil {
		return audit.Cosignature{}, err
	}
	lines, err := client(url).Add(ctx, 0, nil, signed)
	if conflict, ok := errors.AsType[*witness.ConflictError](err); ok && conflict.Size > 0 {
		proof, proofErr := l.ProveGrowth(conflict.Size, signed, own)
		if proofErr != nil {
			return audit.Cosignature{},
				failf(exit.Tampered, "%w, and this log did not grow out of them: %w", conflict,
					proofErr)
		}
		lines, err = client(url).Add(ctx, conflict.Size, proof, signed)
	}
	if err != nil {
		return audit.Cosignature{}, err
	}
	if signed, err = audit.AddCosignatures(signed, lines); err != nil {
		return audit.Cosignature{}, err
	}
	at, err := cosignatures(signed, own.Public, w)
	if err != nil {
		return audit.Cosignature{}, err
	}
	return at[0], l.KeepCheckpoint(signed)
}

// cosignatures are those of all the witnesses; one that is missing is an error.
func cosignatures(signed []byte, logKey string,
	witnesses ...*audit.WitnessKey) ([]audit.Cosignature, error) {
	own, err := note.NewVerifier(logKey)
	if err != nil {
		return nil, err
	}
	found, err := audit.Cosignatures(signed, own, witnesses)
	if err != nil {
		return nil, &exitError{err, exit.Tampered}
	}
	for _, w := range witnesses {
		there := false
		for _, f := range found {
			there = there || f.Witness == w.Name()
		}
		if !there {
			return nil, failf(exit.Tampered, "the witness %q has not cosigned the checkpoint",
				w.Name())
		}
	}
	return found, nil
}

// cosigned returns the head that all the witnesses have seen.
func cosigned(l *launcher.Launcher, keys []string) (audit.Point, error) {
	var list []*audit.WitnessKey
	for _, key := range keys {
		w, err := audit.NewWitnessKey(key)
		if err != nil {
			return audit.Point{}, &usageError{err}
		}
		list = append(list, w)
	}
	own, err := l.LogKey()
	if err != nil {
		return audit.Point{}, err
	}
	signed, err := os.ReadFile(l.Home().Checkpoint())
	if err != nil {
		return audit.Point{}, failf(exit.Tampered, "no witness has cosigned anything: %w", err)
	}
	if _, err := cosignatures(signed, own.Public, list...); err != nil {
		return audit.Point{}, err
	}
	known, err := upkeep.Verifiers(own.Public)
	if err != nil {
		return audit.Point{}, err
	}
	return audit.CheckpointPoint(signed, known)
}
