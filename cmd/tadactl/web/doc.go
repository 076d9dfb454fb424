// Package web is the inbox as a page of the person's own browser, for when the terminal is not
// where he looks.
//
// # What it trusts
//
// Nothing that comes over the network alone. A page reads questions; the answer to one needs a code
// that was printed on the terminal where the server was started, and nowhere else. So whoever finds
// the port, the address or both, be it a page of another site or a program of the same user, can at
// most read.
//
// # The address
//
//	http://127.0.0.1:PORT/TOKEN/
//
// The server listens at 127.0.0.1 only, at a port that the kernel chooses, and the token is 256
// random bits, made anew each time it is started. A request is refused with 403, before anything is
// looked at, when
//
//	its Host is not that address     a name that was made to lead here (DNS rebinding)
//	its Origin is another            a page of another site sends a form, or a script
//	it is a POST without an Origin   no browser does that
//	Sec-Fetch-Site tells of others   the same, told by the browser (Fetch Metadata)
//	its method is not GET or POST    a preflight of another site gets no leave (no CORS)
//	the token is wrong               or missing
//
// A form carries a proof of the page it was on: HMAC-SHA256 of the question's id and plan hash
// under the token. There are no cookies, so there is nothing that a browser would add to somebody
// else's request.
//
// # The page
//
// It has no scripts, and says so (Content-Security-Policy). The question is the text that the
// terminal shows too, made by the same renderer from the stored bytes, with nothing cut, as text.
// What is decided is that text: the form names its plan hash, and an answer to another plan is
// refused.
//
// # The code
//
// Six characters for each question, valid for that question and plan, once. The third wrong one
// ends it: the question is then answered on a terminal.
//
// # Fences
//
// A run that may reach this machine's servers does not reach this one: its port is on a list in the
// state directory while the server lives (launcher.Launcher.Bar), and the one who makes the run's
// connections looks there. A run with the whole network, which a person was asked about, can
// connect, and has no token and no code.
package web
