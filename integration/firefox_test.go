package integration

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A firefox is Firefox with one page. It is told what to do by Marionette, the protocol that
// geckodriver speaks to it.
type firefox struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	last int
}

func newFirefox(t *testing.T) *firefox {
	t.Helper()
	path := ""
	for _, name := range []string{"firefox-esr", "firefox"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("needs Firefox, and there is none")
	}
	browsing(t)
	profile := t.TempDir()
	prefs := `user_pref("marionette.port", 0);` + "\n" + // one that is free
		`user_pref("network.captive-portal-service.enabled", false);` + "\n" +
		`user_pref("network.connectivity-service.enabled", false);` + "\n" +
		`user_pref("security.webauth.webauthn_enable_usbtoken", false);` + "\n" +
		`user_pref("security.webauth.webauthn_enable_softtoken", true);` + "\n"
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(prefs), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--marionette", "--no-remote", "--profile", profile)
	cmd.Env = append(os.Environ(), "HOME="+profile, "MOZ_DISABLE_CONTENT_SANDBOX=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f := &firefox{t: t}
	t.Cleanup(func() {
		if f.conn != nil {
			f.conn.Close()
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 600 {
		time.Sleep(50 * time.Millisecond)
		port, err := os.ReadFile(filepath.Join(profile, "MarionetteActivePort"))
		if err != nil {
			continue
		}
		if f.conn, err = net.Dial("tcp", "127.0.0.1:"+strings.TrimSpace(string(port))); err == nil {
			break
		}
	}
	if f.conn == nil {
		t.Fatal("Firefox does not listen")
	}
	f.in = bufio.NewReader(f.conn)
	if _, err := f.receive(); err != nil { // its greeting
		t.Fatal(err)
	}
	f.call("WebDriver:NewSession", object{"acceptInsecureCerts": true}, nil)
	return f
}

// receive returns one message: its length, a colon and JSON.
func (f *firefox) receive() (json.RawMessage, error) {
	if err := f.conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		return nil, err
	}
	size, err := f.in.ReadString(':')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSuffix(size, ":"))
	if err != nil {
		return nil, err
	}
	text := make([]byte, n)
	_, err = io.ReadFull(f.in, text)
	return text, err
}

// try makes one call: [0, id, method, parameters], answered by [1, id, error, result].
func (f *firefox) try(method string, with object, result any) error {
	f.last++
	text, err := json.Marshal([]any{0, f.last, method, with})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f.conn, "%d:%s", len(text), text); err != nil {
		return err
	}
	answer, err := f.receive()
	if err != nil {
		return err
	}
	var failed *struct{ Error, Message string }
	parts := []any{nil, nil, &failed, result}
	if err := json.Unmarshal(answer, &parts); err != nil {
		return fmt.Errorf("%w: %.200s", err, answer)
	}
	if failed != nil {
		return errors.New(failed.Error + ": " + failed.Message)
	}
	return nil
}

func (f *firefox) call(method string, with object, result any) {
	f.t.Helper()
	if result == nil {
		result = new(any)
	}
	if err := f.try(method, with, result); err != nil {
		f.t.Fatalf("%s: %v", method, err)
	}
}

// authenticator gives the browser a device for passkeys, whose user always agrees.
func (f *firefox) authenticator() {
	f.t.Helper()
	f.call("WebAuthn:AddVirtualAuthenticator", object{"protocol": "ctap2", "transport": "internal",
		"hasResidentKey": true, "hasUserVerification": true, "isUserVerified": true,
		"isUserConsenting": true}, nil)
}

// open goes to an address.
func (f *firefox) open(url string) {
	f.t.Helper()
	f.call("WebDriver:Navigate", object{"url": url}, nil)
}

func (f *firefox) eval(script string) (string, error) {
	var r struct{ Value any }
	err := f.try("WebDriver:ExecuteScript", object{"script": "return " + script, "args": []any{}},
		&r)
	return fmt.Sprint(r.Value), err
}

// until waits until something is true in the page.
func (f *firefox) until(condition string) {
	f.t.Helper()
	for range 300 {
		if is, err := f.eval(condition); err == nil && is == "true" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, _ := f.eval("document.body.innerText")
	f.t.Fatalf("%s is not true; the page: %s", condition, text)
}

// shows waits until the page has a text.
func (f *firefox) shows(want string) {
	f.t.Helper()
	f.until(fmt.Sprintf(`(document.body?.innerText ?? "").includes(%q)`, want))
}

// find returns what a selector finds, as the protocol names it.
func (f *firefox) find(selector string) string {
	f.t.Helper()
	f.until(fmt.Sprintf(`!!document.querySelector(%q)`, selector))
	var r struct{ Value map[string]string }
	f.call("WebDriver:FindElement", object{"using": "css selector", "value": selector}, &r)
	for _, id := range r.Value {
		return id
	}
	return ""
}

// click clicks as a person does: what is hidden or covered cannot be clicked.
func (f *firefox) click(selector string) {
	f.t.Helper()
	f.call("WebDriver:ElementClick", object{"id": f.find(selector)}, nil)
}

// types types into a field.
func (f *firefox) types(selector, text string) {
	f.t.Helper()
	f.call("WebDriver:ElementSendKeys", object{"id": f.find(selector), "text": text}, nil)
}

// enterKey is the key Enter, as WebDriver names it.
const enterKey = "\ue007"
