// Package push sends the browsers of paired devices one line when a question waits: Web Push, RFC
// 8030, 8291 and 8292. tada-run does not link this package; the console runs it.
//
// # What is sent
//
// A text such as "R2 in ~/proj", encrypted to the browser that subscribed. The service of the
// browser's vendor, which relays it, learns when a message was sent, how long it is of use, and its
// size, which is the same for all. Urgency is the same for all too: it would tell the risk.
//
// A question is sent once, when it was open for some seconds, and is of use as long as it is open.
// Of many at once [perMinute] are sent one by one; then there is one message, with their number,
// when a minute is over. While several consoles run, one of them sends.
//
// # Who receives it
//
// A [Book] holds the subscriptions, in push.json. Each belongs to a paired passkey, which has
// confirmed it, and receives nothing once that passkey is revoked. One that the relay reports gone
// is removed. push.key is the key by which a relay knows this machine again (VAPID); it is made
// once.
//
// # Where connections go
//
// A browser chooses the address of its relay, so it is not trusted: https only, a name, no user in
// it. The address that the name leads to is checked as the connection is made: none of this
// machine, of a private network or of a special range. Redirects are not followed. The proxy of the
// environment is not used, because what a proxy connects to cannot be checked; behind one, use
// notify: in the configuration, with curl.
//
// # Why no library
//
// The protocols are a hundred lines on crypto/ecdh, crypto/hkdf and crypto/ecdsa, tested with the
// bytes of the RFC. github.com/SherClockHolmes/webpush-go has four hundred, on functions of
// crypto/elliptic that are deprecated. It pads by the size of a record only, and ignores the expiry
// and the clock that it is given for the token.
package push
