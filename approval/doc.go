// Package approval keeps one person's yes: good for one plan, once, soon.
//
// # The parties
//
// The requester is a program that wants to run something for an agent. It asks with a plan and
// learns the envelope's id and nothing else. The person reads the plan, rendered from the stored
// bytes, and answers through a channel that the agent cannot write. The executor resolves the plan
// afresh, just before it runs, and claims the approval with the hash of what it found. Requester and
// executor are mostly one process; between its question and its claim the world may change, and
// then the claim fails. The store stands between them: a file that no fence lets an agent reach.
//
// # The plan
//
// A plan is a JSON object in the one spelling of package canonical. Its SHA-256 in hexadecimal is
// the plan hash. The store reads of it:
//
//	work_item_id  text
//	agent_name    text
//	risk          0 to 3; anything else counts as 3
//	tool_calls    a list, not empty, of objects with a tool_call_id, each its own
//
// All other members are the launcher's: the command, the resolved files, the environment, the
// policy. They are hashed and shown, known or not, and never read for a decision.
//
// # The life of an envelope
//
//	          Decide: all denied, Cancel
//	        +---------------------------> rejected
//	pending +--- Consume ---------------> consumed
//	        +--- time -----------------> expired
//
// There is no other transition. An answer does not change the state: it is kept beside it, and a
// pending envelope with a yes can be consumed. A question lives for Options.TTL (1 h), a yes for
// Options.Unused (5 min) of that. Both ends are checked in the transaction that uses them, by the
// wall clock and by CLOCK_BOOTTIME, so setting the clock back revives nothing; after a reboot only
// the wall clock is left. The end itself is outside.
//
// Consume checks, in this order, in one write transaction: that the envelope is known, not used,
// not too old, that its stored bytes fit their hash, that it has an answer, that the answers pair up
// with the calls one to one and in order, and that the hash presented is the hash that was shown.
// The transaction that finds all this true also makes it consumed; of any number of processes one
// wins. A claim that fails after the point where the approval could have been used spends it:
// the attempt counts, not the success.
//
// # Standing approvals
//
// With a yes, a person may make the question a [Grant]: the same plan in the same session without
// asking, 5 times within an hour unless told otherwise. The same plan is the same [Template]: every
// byte of it but the ids of the calls and the agent's words. There are no patterns. [Grantable] says for
// which plans the choice must not even be offered: high risk, interpreters, shells and wrappers,
// network, deletions outside of the workspace, secrets and protected files, marked or unreadable
// text. Any denial in the session ends its grants, and each use is an event that names the grant,
// the count and the time left.
//
// # The nonce
//
// Every envelope has a nonce, a UUID of version 4, that never leaves the store while it lives. Files
// hold its SHA-256 and a masked form; events name the hash, and the nonce itself once it is dead.
// From it the store derives the characters that a risky approval must be typed with
// ([Envelope.Challenge]), so that keys meant for another prompt approve nothing.
//
// # The files
//
// NAME is a bbolt database; the buckets and their values are listed in tx.go. NAME.lock is locked
// with flock(2) before NAME is opened, because bbolt waits for its own lock by sleeping 50 ms at a
// time. NAME.lock is empty until NAME has been made and has one byte from then on: a database that
// is gone afterwards is an error and not a fresh start, which would forget what was used. NAME.new
// is a database being made. All have mode 0600 and belong to this user, or are refused; so is a
// folder that others may write to.
//
// Every operation opens the database, does one transaction and closes it. Nothing is held while a
// person thinks.
//
// Values that decide something carry an HMAC under a secret in the same file. It notices an edit, a
// value moved from another envelope, and decay of the disk. It does not stop who can read and write
// the file with care: for that the file lies where no fence reaches, and the record shows what was
// really answered.
//
// # The record
//
// This package writes no log. Each change stores an [Event] in the same transaction and returns it.
// The caller writes it to the record and then calls MarkLogged; a caller that dies between leaves it
// to Unlogged, with its Seq, by which the next one can tell whether the record has it. A permit
// whose run never told its end is found by Unfinished. Refused attempts change nothing, and come as
// events with Seq 0 inside the *[Refused].
//
// # Failure
//
// The zero value of everything denies. A *[Refused] is an answer about one envelope; any other
// error means that the store could not be used: ErrMissing, ErrCorrupt, ErrFuture, ErrLocked,
// ErrMeddled in a *[FileError] that names the file and what helps. None of them permits anything.
// bbolt panics on damaged pages, and a file shorter than its mapping faults; both arrive as
// ErrCorrupt, and nothing is written.
//
// # The page
//
// [Render] is a pure function of the stored bytes: prompt, inbox and pager show the same page. All
// payload text passes through one encoder whose output is printable and has an inverse. ASCII
// stands for itself. Everything else is marked:
//
//	é⟦U+00E9⟧   a letter, and which one it is; only sentences of the policy show the letter alone
//	⟦U+202E⟧    anything invisible, combining, right-to-left, or not known to be harmless
//	⟦xFF⟧       a byte that is no UTF-8
//	⏎ ⇥ ␠       newline, tab; a space at the end or in a long run
//	␠⟦×300⟧     the character before, 300 times in all
//	∅           nothing here, as opposed to something by that name
//	⟪--force⟫   what a reason of the verdict points at
//	⟦[truncated, 4205 chars]⟧   characters that only the full page shows
//
// Since every non-ASCII character of a payload shows with its code point, no payload can write one
// of these marks, or a line of the page. Every value of the plan is on the page, by its name if the
// renderer does not know it. A value of more than 1,000 characters is cut, never where a reason
// points, and Page.Truncated then forbids an approval until the full page was read to its end.
// [Decode] turns a full page back into the payload. Pages are text: a channel that shows them in
// HTML or in a notification must insert them as text.
//
// # Limits
//
// 10 open questions for a session; 500 characters for the words to an agent; inline questions of
// at most 64 KiB and 400 lines; a denied plan is denied again without asking for 10 min, in
// whatever session, so that nobody is worn down.
//
// # Example
//
//	store, err := approval.Open(path, approval.Options{Clock: clock, Rand: rand.Reader})
//	e, created, err := store.Request(ctx, approval.Request{Session: session, Payload: plan})
//	// ErrDenied: it cools off. created is false when the same question is open already.
//	if !e.Approved() {
//		e, err = store.Wait(ctx, e.ID) // meanwhile, elsewhere:
//		// page := approval.Render(e.Payload, approval.RenderOptions{Width: 80})
//		// store.Decide(ctx, approval.Decision{Envelope: e.ID, PlanHash: page.PlanHash, Calls: ...})
//	}
//	permit, err := store.Consume(ctx, approval.Claim{Session: session, Envelope: e.ID, PlanHash: freshHash})
//	// write permit.Events to the record, run what permit.Calls allow, then:
//	events, err := store.Finish(ctx, e.ID, approval.OutcomeExecuted, "exit status 0")
package approval
