// Package quarantine lets an agent read what nobody trusts, without its content reaching the
// agent that people trust, and without the reader being able to do anything but read.
//
// # Parties
//
// The main agent has the tools and the person's trust. It never sees a file that is under review:
// it hands out references, and gets findings back. The quarantined agent sees the files and can
// do nothing else. The broker is the process that holds a [Session]: it has the key, counts, logs
// and answers. There is no other daemon, and when the broker ends, all that it signed is void.
//
// # Keys
//
// A session has 32 random bytes. They are made in a page that the kernel keeps out of swap files,
// core dumps, child processes and, with memfd_secret(2), out of reach of every other process; they
// are never written anywhere, and zeroed when the session ends. [Harden] closes the rest of the
// broker's memory. Whoever reads the broker's memory in spite of that can forge references until
// the session ends: what a reference opens is still below the session's root.
//
// # References
//
// A reference is text that names one file for one session and a short time:
//
//	typed:///src/a%20b.go?hmac=<64 hex>&ts=<seconds>&sid=<uuid>[&sha=<64 hex>]
//
// The path is absolute and has no links. Its bytes are percent-encoded but for letters, digits
// and -._~/, so that a name cannot be read as an instruction. The parameters stand once, in this
// order, and nothing else may. hmac is HMAC-SHA256, by the session's key, of the canonical JSON
// (package canonical) of
//
//	{"path":"/src/a b.go","sessionId":"<uuid>","timestamp":<seconds>}
//	{"path":"/src/a b.go","sessionId":"<uuid>","sha":"<64 hex>","timestamp":<seconds>,"v":2}
//
// The second form binds a content as well. A reference is refused, in this order, as malformed,
// wrong_session, bad_hmac, future (more than [DefaultSkew] ahead), expired (after [DefaultTTL]),
// not_found, content_changed. What is read is the file that openat2(2) opens below the session's
// root without following any link, so that nothing put under the name afterwards is served.
//
// # Deciding about calls
//
// A platform's hook calls [Ask] before each tool call. A call is quarantined when its agent, the agent's
// type or the agent that started it is registered, when its platform's session is bound, or when
// the environment says so ([Variable]); who is not told or not known there is as quarantined as the
// others. Such a call is allowed when, in this order,
//
//  1. its tool is Read, Grep or Glob, byte by byte,
//  2. Read names a good reference, and Grep and Glob a place below the root over which no file lies
//     that the policy keeps from everybody,
//  3. its agent has made fewer than 100 calls in the last minute, denied ones included,
//  4. the decision is in the security log.
//
// Read goes on with the file's path. A platform that opens it by that path does so later, so what is
// put there meanwhile it reads; [Session.Serve] and a fence do not have this gap. Five quarantined
// agents run at once, over all sessions of a user. Whatever fails denies: an error, a panic, a full
// disk, a broker that died or does not answer. When a session is over, its agents stay shut in.
//
// # The security log
//
// review-mode-audit.jsonl has a JSON object a line: time, type, session, agent, tool, risk, allowed,
// reason, path. The types are allowed, tool_blocked, hmac_invalid, expired, session_mismatch,
// rate_limited, timeout and response_invalid. Ten allowed events are written together, or those of a
// second; a denial is written before it is answered. Arguments are not in it but the path, and what
// is shaped like a credential is not in any part of it. It is written, not synced: a power cut may
// take its last lines.
package quarantine
