package integration

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The console can be installed as an app, by what it serves without a session: files that hold no
// secret, and nothing else.
func TestConsoleIsAnApp(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	p := newPlace(t).asking()
	base, path := consoleAt(t, p, "--listen localhost:0")
	g := &page{t: t, p: p, base: base, path: path}
	for name, kind := range map[string]string{"manifest.webmanifest": "application/manifest+json",
		"sw.js": "text/javascript", "icon.svg": "image/svg+xml", "icon-192.png": "image/png",
		"icon-512.png": "image/png"} {
		status, header, body := g.send("GET", "/"+name, nil, nil)
		if status != 200 || !strings.HasPrefix(header.Get("Content-Type"), kind) || body == "" ||
			header.Get("Content-Security-Policy") != "default-src 'none'; img-src 'self'" {
			t.Errorf("%s: %d %v", name, status, header)
		}
		if strings.Contains(body, strings.Trim(path, "/")) {
			t.Errorf("%s has the link", name)
		}
		if status, _, _ := g.send("POST", "/"+name, url.Values{}, nil); status == 200 {
			t.Errorf("POST %s: %d", name, status)
		}
		if status, _, _ := g.send("GET", "/"+name, nil, func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		}); status != 403 {
			t.Errorf("%s from another site: %d", name, status)
		}
	}
	for _, name := range []string{"notifications", "assets/app/sw.js", "app/sw.js",
		"../sw.js/x", "style.css", "notify.js", "push.json"} {
		if status, _, _ := g.send("GET", "/"+name, nil, nil); status == 200 {
			t.Errorf("%q is served to everybody", name)
		}
	}
	g.enter(nil)
	b.enter(g)
	var manifest struct {
		URL    string
		Errors []struct{ Message string }
	}
	b.call("Page.getAppManifest", object{}, &manifest)
	if manifest.URL != base+"/manifest.webmanifest" || len(manifest.Errors) > 0 {
		t.Errorf("%+v", manifest)
	}
	var able struct{ InstallabilityErrors []any }
	b.call("Page.getInstallabilityErrors", object{}, &able)
	if len(able.InstallabilityErrors) > 0 {
		t.Errorf("it cannot be installed: %v", able.InstallabilityErrors)
	}
	b.open(base + g.path + "notifications")
	b.shows("tadactl key pair")
	b.accessible("notifications without a passkey")
	if list := b.complained(); len(list) > 0 {
		t.Errorf("the browser complains: %q", list)
	}
}

// relayed gives the page a push service of its own, since Chromium's is on the internet: at an
// endpoint on this machine, to which nothing is ever sent.
func relayed(t *testing.T, b *browser, endpoint string) {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	b.call("Page.addScriptToEvaluateOnNewDocument", object{"source": fmt.Sprintf(`
		const made = (key) => ({endpoint: %q, options: {applicationServerKey: key},
			toJSON: () => ({endpoint: %[1]q, keys: {p256dh: %q, auth: %q}}),
			unsubscribe: async () => { localStorage.removeItem("made"); return true; }});
		const plain = (text) => atob(text.replaceAll("-", "+").replaceAll("_", "/"));
		const bytes = (text) => Uint8Array.from(plain(text), (c) => c.charCodeAt(0)).buffer;
		PushManager.prototype.getSubscription = async () =>
			localStorage.getItem("made") ? made(bytes(localStorage.getItem("made"))) : null;
		PushManager.prototype.subscribe = async (options) => {
			localStorage.setItem("made", options.applicationServerKey);
			return made(bytes(options.applicationServerKey));
		};`, endpoint, base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()),
		base64.RawURLEncoding.EncodeToString(make([]byte, 16)))}, nil)
}

// paired pairs a device of ada's with the console that runs.
func paired(t *testing.T, b *browser, p *place, base string) {
	t.Helper()
	b.open(pairingLink(t, p, base, "ada"))
	b.click("main button")
	b.shows("paired: ada")
}

// A paired device is notified once its passkey has confirmed exactly that, and no longer than it
// wishes or its passkey counts. Nothing is sent to an address of this machine.
func TestNotificationsInABrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	p := newPlace(t).asking()
	terminal, _ := p.on("tadactl console --listen localhost:0")
	if err := terminal.shows("shown here:"); err != nil {
		t.Fatal(err, terminal.text())
	}
	m := regexp.MustCompile(`(https?://[^/ ]+)(/[0-9a-f]{64}/)`).FindStringSubmatch(
		strings.ReplaceAll(terminal.text(), "\n", ""))
	g := &page{t: t, p: p, base: m[1], path: m[2]}
	g.enter(nil)
	const endpoint = "https://localhost:9/push"
	relayed(t, b, endpoint)
	b.call("Browser.grantPermissions", object{"origin": g.base,
		"permissions": []string{"notifications"}}, nil)
	b.authenticator()
	paired(t, b, p, g.base)
	b.click(`main a[href$="notifications"]`) // in the session that it has from now on
	b.shows("this device is not notified")
	b.enter(g)
	b.shows("Notify this device")
	b.click(`main a[href$="notifications"]`)
	b.shows("this device is not notified")
	b.shows("no device is notified")
	b.everywhere("notifications")
	b.accessible("notifications")

	// what was confirmed is this subscription, with these keys
	file := filepath.Join(p.state, "push.json")
	swapped := b.run(`(async () => {
		const subscription = (await subscribe()).toJSON();
		const begun = await post("act/begin", {do: "notify", on: await nameOf(subscription)});
		const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(begun.options);
		const signed = (await navigator.credentials.get({publicKey})).toJSON();
		const errors = [];
		const failed = (body) => post("notify/add", body).then(() => "taken", (e) => e.message);
		const other = {...subscription, endpoint: subscription.endpoint + "/other"};
		const auth = "AAAAAAAAAAAAAAAAAAAAAQ";
		const twin = {...subscription, keys: {...subscription.keys, auth}};
		const plain = {...subscription, endpoint: "http://push.example/"};
		errors.push(await failed({subscription: other, nonce: begun.nonce, response: signed}));
		errors.push(await failed({subscription: twin, nonce: begun.nonce, response: signed}));
		errors.push(await failed({subscription: plain, nonce: begun.nonce, response: signed}));
		errors.push(await failed({subscription, nonce: begun.nonce}));
		errors.push(await failed({subscription, nonce: "x", response: signed}));
		return errors.join("; ");
	})()`)
	if strings.Contains(swapped, "taken") || !strings.Contains(swapped, "not https") ||
		!strings.Contains(swapped, "a passkey of this device") {
		t.Error(swapped)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a subscription was kept")
	}
	b.run(`localStorage.clear()`)

	b.click("#on")
	b.shows("ada over localhost")
	b.shows("this device is notified")
	b.everywhere("notifications-on")
	askOnly(t, p, "rm -rf build")
	if err := terminal.shows("notification not sent: over localhost"); err != nil {
		t.Error(err, terminal.text())
	}
	b.click("#test")
	b.shows("not public")
	b.open(g.base + g.path + "notifications")
	b.shows("this device is notified; over localhost")
	if out := p.run("tadactl audit verify; echo status $?"); !strings.Contains(out, "status 0") {
		t.Error(out)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	b.shown(g.base)

	b.click("#off")
	b.shows("no device is notified")
	has := func() bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), endpoint)
	}
	if has() {
		t.Error("it was stopped, and is in the file")
	}
	if out := p.run("tadactl log --kind console.session"); !strings.Contains(out,
		"did=unsubscribed") {
		t.Errorf("the log does not have it: %s", out)
	}
	b.click("#on")
	b.shows("ada over localhost")
	if !has() {
		t.Error("it is not in the file")
	}
	if out := p.run("tadactl key list"); !strings.Contains(out, "ada") {
		t.Error(out)
	}
	s, _ := p.on("tadactl key revoke ada; echo left $?")
	if err := s.shows("left 0"); err != nil {
		t.Fatal(err, s.text())
	}
	if has() {
		t.Error("its passkey was revoked, and it is in the file")
	}
	b.open(g.base + g.path + "notifications")
	b.shows("no device is notified")

	paired(t, b, p, g.base)
	for script, want := range map[string]string{
		`Object.defineProperty(window, "isSecureContext", {value: false})`: "--listen localhost",
		`delete window.PushManager`:                                        "home screen",
		`Object.defineProperty(Notification, "permission", {value: "denied"})`: "settings of the" +
			" site",
	} {
		var added struct{ Identifier string }
		b.call("Page.addScriptToEvaluateOnNewDocument", object{"source": script}, &added)
		b.open(g.base + g.path + "notifications")
		b.shows(want)
		b.call("Page.removeScriptToEvaluateOnNewDocument", object{
			"identifier": added.Identifier}, nil)
	}
	if list := b.complained("409", "pubKeyCredParams"); len(list) > 0 {
		t.Errorf("the browser complains: %q", list)
	}
}

// shown has the service worker of a page receive messages, and requires that it shows them as they
// are, without markup (E-dsp-9), and opens the console when one is pressed.
func (b *browser) shown(origin string) {
	b.t.Helper()
	b.call("ServiceWorker.enable", object{}, nil)
	var id string
	for range 100 {
		var update struct {
			Registrations []struct{ RegistrationID, ScopeURL string }
		}
		b.mu.Lock()
		_ = json.Unmarshal(b.events["ServiceWorker.workerRegistrationUpdated"], &update)
		b.mu.Unlock()
		if len(update.Registrations) > 0 {
			id = update.Registrations[0].RegistrationID
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if id == "" {
		b.t.Fatal("no service worker is registered")
	}
	list := `navigator.serviceWorker.getRegistration("/").then((r) => r.getNotifications())` +
		`.then((l) => l.map((n) => n.title + "|" + n.body).sort().join())`
	for _, message := range []string{"R2 in ~/proj", "<b>R3</b> in ~", "R2 in ~/proj"} {
		b.call("ServiceWorker.deliverPushMessage", object{"origin": origin, "registrationId": id,
			"data": message}, nil)
	}
	want := "<b>R3</b> in ~|,R2 in ~/proj|"
	got := ""
	for range 100 {
		if got = b.run(list); got == want {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if got != want {
		b.t.Fatalf("shown: %q, want %q", got, want)
	}
	var targets struct {
		TargetInfos []struct{ TargetID, Type, URL string }
	}
	b.call("Target.getTargets", object{}, &targets)
	for _, target := range targets.TargetInfos {
		if target.Type == "service_worker" && target.URL == origin+"/sw.js" {
			b.pressed(target.TargetID)
			return
		}
	}
	b.t.Errorf("no service worker runs: %+v", targets)
}

// pressed presses the notifications in a service worker: with a page of the console it comes to the
// front, without one a page is opened.
func (b *browser) pressed(worker string) {
	b.t.Helper()
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", object{"targetId": worker, "flatten": true}, &attached)
	page := b.session
	b.session = attached.SessionID
	defer func() { b.session = page }()
	got := b.run(`(async () => {
		const did = [];
		WindowClient.prototype.focus = async function () { did.push("focus " + this.url); };
		Clients.prototype.openWindow = async (url) => { did.push("open " + url); };
		for (const alone of [false, true]) {
			if (alone) {
				Clients.prototype.matchAll = async () => [];
			}
			const [notification] = await registration.getNotifications();
			const e = new NotificationEvent("notificationclick", {notification});
			let done;
			Object.defineProperty(e, "waitUntil", {value: (p) => { done = p; }});
			self.dispatchEvent(e);
			await done;
		}
		did.push((await registration.getNotifications()).length + " left");
		return did.join(", ");
	})()`)
	if !strings.HasPrefix(got, "focus http") || !strings.HasSuffix(got, ", open /, 0 left") {
		b.t.Errorf("pressed: %q", got)
	}
}
