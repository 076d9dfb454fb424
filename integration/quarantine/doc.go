// Package quarantine lets an agent read untrusted files. The agent can do nothing else, and the
// content does not reach the trusted agent.
//
// # Parties
//
// The main agent has the tools, and the user trusts it. It never sees a file under review: it
// passes references on and gets findings back. The quarantined agent can read the files and do
// nothing else. The broker is the process with the [Session]: it has the key, counts calls, logs
// and answers. There is no daemon, and when the broker exits, everything that it signed is void.
//
// # Keys
//
// A session has 32 random bytes. They are generated in a page that the kernel keeps out of swap
// files, core dumps and child processes; with memfd_secret(2), no other process can read it. They
// are never written anywhere, and zeroed when the session ends. [Harden] closes the rest of the
// broker's memory. An attacker who still reads the key can forge references until the session ends,
// but only to files below the session's root.
//
// # References
//
// A reference is text that names one file for one session and a short time:
//
//	typed:///src/a%20b.go?hmac=<64 hex>&ts=<seconds>&sid=<uuid>[&sha=<64 hex>]
//
// The path is absolute and has no links. Its bytes are percent-encoded except for letters, digits
// and -._~/, so that a name cannot be read as an instruction. There are exactly these parameters,
// once each and in this order. hmac is HMAC-SHA256, by the session's key, of the canonical JSON
// (package canonical) of
//
//	{"path":"/src/a b.go","sessionId":"<uuid>","timestamp":<seconds>}
//	{"path":"/src/a b.go","sessionId":"<uuid>","sha":"<64 hex>","timestamp":<seconds>,"v":2}
//
// The second form also binds a content. A reference is refused, in this order, as malformed,
// wrong_session, bad_hmac, future (more than [DefaultSkew] ahead), expired (after [DefaultTTL]),
// not_found, content_changed. The file that is read is the one that openat2(2) opens below the
// session's root without following any link, so nothing that is put under the name later is served.
//
// # Deciding about calls
//
// A platform's hook calls [Ask] before each tool call. A call is quarantined when its agent, the
// agent's type or the agent that started it is registered, when its platform's session is bound, or
// when the environment says so ([Variable]). An agent that the platform does not name, or that is
// not registered, is quarantined like the others there. Such a call is allowed if, in this order,
//
//  1. its tool is Read, Grep or Glob, byte by byte,
//  2. Read names a valid reference; Grep and Glob name a place below the root, and Grep neither a
//     file that the policy lets no one read nor a folder that contains one,
//  3. its agent has made fewer than 100 calls in the last minute, denied ones included,
//  4. the decision is in the security log.
//
// Read continues with the file's path. A platform opens that path later, so it reads whatever was
// put there since; [Session.Serve] and a sandbox do not have this gap. At most five quarantined
// agents run at once, in all sessions of a user together. Every failure denies: an error, a panic,
// a full disk, a broker that died or does not answer. When a session is over, its agents stay
// confined.
//
// # The security log
//
// review-mode-audit.jsonl has one JSON object per line: time, type, session, agent, tool, risk,
// allowed, reason, path. The types are allowed, tool_blocked, hmac_invalid, expired,
// session_mismatch, rate_limited, timeout and response_invalid. Allowed events are written ten at a
// time, or once a second; a denial is written before it is answered. The path is the only argument
// in it, and nothing that is shaped like a credential is in any part of it. The log is written but
// not synced: a power cut may take its last lines.
//
// # Answers
//
// A quarantined agent answers with one JSON object, a QuarantineAgentResponse:
//
//	{"session_id":"<uuid>","status":"complete|partial","summary":"...","findings":[
//	  {"type":"security|correctness|quality|injection|other","severity":"critical|high|medium|low|info",
//	   "file":"typed://...","line":1,"title":"...","description":"..."}]}
//
// Each member is required, once, and no others are allowed; file is a reference that this session
// signed; there are at most [MaxFindings] findings, of at most [MaxText] bytes per text, in
// [MaxResponse] bytes. Any other answer is refused with an error that repeats nothing of it. From a
// valid one, [Session.ParseResponse] cuts out every run of [MaxQuote] bytes that also occurs in a
// file to which the agent was referred or which it searched, and credentials of a known shape. It
// neutralizes what terminals, viewers and templates act on ([Neutral]). The text is still
// untrusted: show it as a quotation.
//
// # A reviewer in a sandbox
//
// [Sessions.Review] starts a program as a quarantined agent, in a sandbox. There the kernel
// enforces the rules, without a hook: the program reads what it needs to run and the files that it
// is referred to, writes nothing, connects only to a named endpoint, and executes no other program.
// It gets its task on standard input, answers on standard output, and may call the three tools on
// descriptor [Channel]:
//
//	{"tool":"Read","input":{"file_path":"typed://..."}}
//	{"allowed":true,"text":"..."} or {"allowed":false,"reason":"..."}
//
// Content that is not UTF-8 comes as "base64". Its standard error is discarded. When its time is up
// it gets SIGTERM and, after a grace period, SIGKILL; an answer that is complete by then counts as
// partial.
//
// With namespaces, the program has an empty /dev/shm of its own, which ends with it. The program
// can find out whether a file that it may not read exists. "#!/usr/bin/env NAME" is resolved
// beforehand, because env would have to execute NAME.
//
// # Limits
//
// AS-009: an agent that was persuaded by what it read can repeat it in its own words, in pieces of
// less than MaxQuote bytes, or encoded, and a trusted agent that reads the text may be persuaded in
// turn. So by default only counts and locations are passed on. AS-010: an attacker who can still
// read the broker's memory (root without memfd_secret, the kernel) has the key and can forge
// references until the session ends.
package quarantine
