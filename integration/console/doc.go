// Package console shows in the person's own browser what agents ask and do: the open questions, the
// runs with what they print, change and contact, and the policy. It is for a person who is not
// looking at the terminal.
//
// # What it trusts
//
// Nothing that comes over the network alone. A page shows questions and can deny them; approving
// one needs a code that was printed on the terminal where the server was started, and nowhere else.
// So a program of the same user that opens the link can at most read and deny.
//
// # The address
//
// The server listens on 127.0.0.1, at a port that the kernel chooses, unless the person says where
// (Address): on an address that other machines reach only with a certificate, TLS 1.3. The terminal
// shows a link:
//
//	http://127.0.0.1:PORT/TOKEN/
//
// The token is 256 random bits, and lets one browser in. The terminal says which browser it was,
// and shows the next link. The browser gets a session: a path of 256 random bits, and a cookie with
// 256 others, which it sends with that path only.
//
//	http://127.0.0.1:PORT/SESSION/
//
// Each request needs both. A cookie alone would not do: browsers send it to every port of a host,
// and on 127.0.0.1 another port may be a server that an agent started. They send this one to no
// other server, because its path is secret. A path alone would not do: it is in the history of the
// browser, and on pictures of its window. A session ends 12 hours after its last request, 7 days
// after it began, with a button of the page of devices, when the passkey that signed in is revoked,
// and with the console; whatever is open in it ends too. There are at most 32: another one ends the
// one that was used least lately.
//
// The address without a path is for everybody who can connect. Its page says nothing about the
// machine, and signs a browser in with a passkey, which signs a ticket: random, good once and for
// two minutes. A sign-in is no answer, because it is signed over other words
// (approval.SignInChallenge). The page for pairing needs no session either, because it needs a
// token; it begins one.
//
// The record (console.session) has each session that began or ended, and attempts that failed, with
// the browser and how it was let in. The name of a browser is made of words of this package alone.
// Failures of a session are limited for this session: 20 in ten minutes, over questions and acts,
// with those that are under way. So a stolen session has 20 guesses at codes of 30 bits, and 120 in
// an hour; it begins no other session. Those of strangers are recorded 20 times for an address and
// 200 times in all, and refuse nobody, because nothing that lets a browser in can be guessed. When
// there are too many connections, the oldest goes over which no session has sent anything.
//
// A request is refused with 403, before anything else is looked at, if
//
//	its Host is not that address     a name that was made to lead here (DNS rebinding)
//	its Origin is another            a page of another site sends a form, or a script
//	it is a POST without an Origin   no browser does that
//	Sec-Fetch-Site is another site   the same, reported by the browser (Fetch Metadata)
//	its method is not GET or POST    a preflight of another site is not allowed (no CORS)
//	it has no session                or not its cookie
//
// The cookie is SameSite=Strict and HttpOnly. A form carries a proof of the page it was on:
// HMAC-SHA256 of the question's id and plan hash under the secret of the session.
//
// # The pages
//
//	""                the open questions, the most dangerous first
//	"q/ID"            one question, and the form with the answer
//	"m/MACHINE/ID"    the same for a question of another machine of the fleet
//	"runs", "run/ID"  the newest runs, older ones and those that contain a text; and one of them
//	"run/ID/replay"   its terminal, played on the server (package play)
//	"run/ID/terminal" its terminal now; see below
//	"run/ID/undo"     what it would do to take the run back, and the button for it
//	"policy"          the grants, and the policy in force, here or in a workspace
//	"policy/learned"  what could spare questions
//	"devices"         the sessions and passkeys
//	"notifications"   where a device asks to be notified of questions
//	"events"          a stream that says when something has changed
//
// All are made here; what a command, an agent or a file has written is text in them. They can be
// read without JavaScript. Lists and the page of a run have a script: at each event it asks for the
// same page again and shows what is new in it. The page of a question has one that moves the focus
// by keys, and another once a passkey is paired. No key answers anything. A page's policy
// (Content-Security-Policy) names its script by its hash, and allows no other. The player has its
// own.
//
// All pages that are open share one list of the questions, which is read from the store once for
// each change. A page that has the list already gets none.
//
// The question is the text of the terminal, word for word: the rows of the renderer, made from the
// stored bytes, which the browser breaks into lines. Names stand in letters that all differ. The
// person answers exactly that text: the form names its plan hash, and an answer to another plan is
// refused.
//
// An approval is for once, or for what the terminal offers too: a choice until it is revoked, or
// the same plan a few times within an hour. Which of these is part of what a passkey signs. To
// revoke a grant only narrows what may run, so it needs no code; a rule is accepted at the terminal
// alone.
//
// # The code
//
// Six characters for each question, valid for that question and plan, once. After the third wrong
// code the question must be approved on a terminal.
//
// # Other machines
//
// An answer to a question of another machine is signed by the person's key, as by tadactl fleet
// answer, after the code of the terminal for an approval; a sealed key also needs its passphrase,
// which the form sends. Approvals that last, and passkeys, are for questions of this machine.
//
// # Passkeys
//
// The page "pair" makes a passkey on the device that has opened a link of tadactl key pair, and the
// page of a question then offers to approve with it. What the passkey signs is the answer; see
// package pairing, which checks it. So it needs no code, and a page that was changed on its way
// cannot use it for another answer. Passkeys are for names: https, or localhost.
//
// # Acts
//
// What widens or drives something besides an answer (take over a terminal, undo a run) is an act:
// the page begins it, which opens an intent with a new nonce, and it counts once, within two
// minutes, with the assertion of a passkey over act, object and nonce, or with a code that the
// terminal shows. The log has each (console.act) with its proof, before it is carried out.
//
// # Terminals
//
// The page "run/ID/terminal" shows the terminal of a run that runs, over a WebSocket. To watch one
// takes a session of the browser and nothing more; of a run that is no session of tada-run the page
// shows the transcript as it grows. What the browser gets is drawn here, from the same model as
// with tadactl attach (play.Mirror): no byte that a program wrote is in it, so no program can set a
// title, the clipboard or a link, or ask the browser's terminal anything. A turn (turn) is sent
// when the browser has drawn the one before; what comes in between is drawn into the model. So a
// slow browser sees less and costs no memory.
//
// This process is one of a person at a terminal, and a session would let it do everything that she
// may. So the limit is here:
//
//	take over, continue, end   an act: a passkey or the code of the terminal, each time
//	keys, size, give back      the connection on which she took over, until control is lost
//	freeze                     everybody who was let in
//
// To freeze takes nothing away: no process is ended, and what is open stays open. It can cost: a
// connection to another machine may time out meanwhile, a clock runs on, and keys that were typed
// and not yet read are discarded. To end the harm that a program is doing is worth more than that,
// and must not wait for a telephone with a passkey. To continue takes a confirmation, because what
// was frozen had a reason. A browser that someone else was let in with can freeze again and again;
// the record has each, and the person at the terminal ends that session of the console.
//
// Each page is a client of the session, and says in its greeting what the person holds: "console,
// Firefox on Linux", and once an act was confirmed "console, passkey of NAME". The log has that as
// device, beside by, which the kernel states. A connection that ends while it drives freezes the
// session, as with attach, and so does one whose passkey is revoked. A page that nobody looks at
// leaves after half a minute, because a session has few places; one that drives stays, until its
// lease ends.
//
// Keys go out with the epoch for which they were typed, at most wire.Credit at once. Ctrl-] leaves
// the terminal for the buttons, because Tab is the program's. What the page cannot do is in attach:
// private mode, and answering a question without leaving the terminal.
//
// assets/xterm holds files of other authors, unchanged:
//
//	xterm.js  6.0.0  MIT  npm @xterm/xterm, lib and css
//	  xterm.js   14903579ff54664cd72f8e8699e6961a6272c21863ec1c3b118cdc8af5d4a972
//	  xterm.css  854a7c0fb70e8b1a083c16797ab827299fb18744f5ad34f227b48337e33293c6
//	  LICENSE    b569f629d00f2626a8100df2a1798210535621e42164dfd426a6fe5aac7b0ccd
//
// The figures are SHA-256, and a test compares them. The package of 6.0.0 has the npm integrity
// sha512-TQwDdQGtwwDt+2cgKDLn0IRaSxYu1tSUjgKarSDkUM0ZNiSRXFpjxEsvc/Zgc5kq5omJ+V0a8/kIM2WD3sMOYg==.
// The page's policy forbids <style> elements and style attributes, which it uses; assets/sheets.js
// turns them into objects, which the policy allows.
//
// # Notifications
//
// The console can be installed as an app: a browser reads its manifest, its icons and its service
// worker without a session (public). The worker keeps no page; it shows messages that package push
// has sent, and opens the console. The passkey of the device confirms that it is notified: it signs
// the hash of the address at the relay and of the keys, so neither can be replaced. What is in a
// message is [launcher.Launcher.Brief].
//
// # Sandboxes
//
// A run that may reach this machine's servers does not reach this one: while the server runs, its
// port is on a list in the state directory (launcher.Launcher.Bar), and the broker, which makes the
// run's connections, reads that list. A run with the whole network, about which a person was asked,
// can connect, but has no session and no code.
package console
