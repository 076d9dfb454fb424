// Package quarantine lets an agent read untrusted files. The agent can do nothing else, and the
// content does not reach the trusted agent.
//
// # Parties
//
// The main agent has the tools and is trusted by the user. It never sees a file under review: it
// hands out references and gets findings back. The quarantined agent can read the files and do
// nothing else. The broker is the process with the [Session]: it has the key, counts calls, logs
// and answers. There is no other daemon, and when the broker exits, everything it signed is void.
//
// # Keys
//
// A session has 32 random bytes. They are made in a page that the kernel keeps out of swap files,
// core dumps, child processes and, with memfd_secret(2), out of reach of every other process; they
// are never written anywhere, and zeroed when the session ends. [Harden] closes the rest of the
// broker's memory. An attacker who reads it all the same can forge references until the session
// ends, but only to files below the session's root.
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
// A platform's hook calls [Ask] before each tool call. A call is quarantined when its agent, the
// agent's type or the agent that started it is registered, when its platform's session is bound, or
// when the environment says so ([Variable]); who is not told or not known there is as quarantined
// as the others. Such a call is allowed when, in this order,
//
//  1. its tool is Read, Grep or Glob, byte by byte,
//  2. Read names a good reference, and Grep and Glob a place below the root over which no file lies
//     that the policy keeps from everybody,
//  3. its agent has made fewer than 100 calls in the last minute, denied ones included,
//  4. the decision is in the security log.
//
// Read goes on with the file's path. A platform that opens it by that path does so later, so what
// is put there meanwhile it reads; [Session.Serve] and a fence do not have this gap. Five
// quarantined agents run at once, over all sessions of a user. Whatever fails denies: an error, a
// panic, a full disk, a broker that died or does not answer. When a session is over, its agents
// stay shut in.
//
// # The security log
//
// review-mode-audit.jsonl has a JSON object a line: time, type, session, agent, tool, risk,
// allowed, reason, path. The types are allowed, tool_blocked, hmac_invalid, expired,
// session_mismatch, rate_limited, timeout and response_invalid. Ten allowed events are written
// together, or those of a second; a denial is written before it is answered. Arguments are not in
// it but the path, and what is shaped like a credential is not in any part of it. It is written,
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
// All members have to be there, once, and no others; file is a reference that this session signed;
// there are at most [MaxFindings], of at most [MaxText] bytes a text, in [MaxResponse] bytes. What
// is anything else is refused with an error that repeats nothing of it. Of the rest,
// [Session.ParseResponse] cuts out every run of [MaxQuote] bytes that stands in a file which the
// agent was referred to or searched, and credentials of a known shape, and neutralizes what
// terminals, viewers and templates act on ([Neutral]). The text is still untrusted: show it as a
// quotation.
//
// # A reviewer in a sandbox
//
// [Sessions.Review] starts a program as a quarantined agent, in a sandbox in which the kernel
// enforces what hooks enforce by asking: the program reads what it needs to run and the files that
// it is referred to, writes nothing, connects only to a named endpoint, and executes no other
// program. It gets its task on standard input, answers on standard output,
// and may call the three tools on descriptor [Channel]:
//
//	{"tool":"Read","input":{"file_path":"typed://..."}}
//	{"allowed":true,"text":"..."} or {"allowed":false,"reason":"..."}
//
// Content that is not UTF-8 comes as "base64". Its standard error is discarded. When its time is
// up it gets SIGTERM and, after a grace period, SIGKILL; an answer that is complete by then counts
// as partial.
//
// With namespaces, the program has an empty /dev/shm of its own, which ends with it. The names of
// files that it may not read can be told from those of files that are not there. "#!/usr/bin/env
// NAME" is resolved beforehand, because env would have to execute NAME.
//
// # Limits
//
// AS-009: an agent that was persuaded by what it read can put that in its own words, or in pieces
// of less than MaxQuote bytes, or encoded, and a trusted agent that reads the text may be persuaded
// in turn. So by default only counts and places are passed on. AS-010: whoever can read the
// broker's memory in spite of everything (root without memfd_secret, the kernel) has the key and
// can forge references while the session lives.
package quarantine
