// Package pairing pairs passkeys with a state directory and takes the answers that they sign.
// Package passkey checks them. tada-run does not link this package.
//
// # Pairing
//
// A person at the terminal gets a link with a one-time token ([Desk.Link]), also as a QR code. The
// token is good once, for ten minutes and for one origin; a new link replaces the one before it.
// run/pairing has only its hash. The page of the console reads the token from the fragment of the
// link, which browsers do not send, and hands it to [Desk.PairBegin] and [Desk.PairFinish].
//
//	const token = location.hash.slice(1)
//	let options = await post("pair/begin", {token})
//	options = PublicKeyCredential.parseCreationOptionsFromJSON(options)
//	const made = await navigator.credentials.create({publicKey: options})
//	await post("pair/finish", {token, response: made.toJSON()})
//
// # Answers
//
// [Desk.AssertBegin] returns the options for one answer, and [Desk.AnswerByPasskey] takes the
// response. Nothing is stored in between: the challenge is the hash of the answer. The server gives
// both calls the same answer, and the origin that its pages have.
//
//	let options = await post("assert/begin", answer)
//	options = PublicKeyCredential.parseRequestOptionsFromJSON(options)
//	const signed = await navigator.credentials.get({publicKey: options})
//	await post("assert/finish", {...answer, response: signed.toJSON()})
//
// # Sign-in
//
// [Desk.SignInBegin] and [Desk.SignIn] let the browser of a paired passkey in to the console. What
// is signed is a ticket of the console, which takes each once.
//
// # The address of the console
//
// A console that runs leaves its base address in run/console, one line, mode 0600, and removes it
// when it ends. There is no secret in it. A link is that address, "pair#" and the token. Passkeys
// are for the host of the address, so the host should stay the same; the port may change.
package pairing
