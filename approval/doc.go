// Package approval stores a person's approval of one plan, to be used once and soon.
//
// # The parties
//
// The requester is a program that wants to run something for an agent. It asks with a plan and
// learns only the envelope's id. The person reads the plan, rendered from the stored bytes, and
// answers through a channel that the agent cannot write to. The executor resolves the plan again,
// just before it runs, and claims the approval with the hash of what it found. Requester and
// executor are usually one process. If the files change between its question and its claim, the
// claim fails. Between them is the store: a file that no sandbox lets an agent reach.
//
// # The plan
//
// A plan is a JSON object in the one spelling of package canonical. Its SHA-256 in hexadecimal is
// the plan hash. Package plan lists the members that are read.
//
// # The life of an envelope
//
//	          Decide: all denied, Cancel
//	        +---------------------------> rejected
//	pending +--- Consume ---------------> consumed
//	        +--- time -----------------> expired
//
// A denial may name another command ([CallDecision].Instead), such as a part of a list that is one
// call. It permits nothing: the requester receives it and asks about it as a plan of its own.
//
// Cancel is for a question that was left unanswered and for one whose requester is gone. It leaves
// no trace for later questions: only a denial keeps its plan from being asked again, and Undeny
// takes that back.
//
// There is no other transition. An answer does not change the state: it is stored beside it, and a
// pending envelope that is approved can be consumed. A question is valid for Options.TTL (1 h), an
// approval for Options.Unused (5 min) within that. Both limits are checked in the transaction that
// uses them, by the wall clock and by CLOCK_BOOTTIME, so setting the clock back revives nothing;
// after a reboot only the wall clock is left. At the limit itself it is already too late.
//
// Consume checks, in this order, in one write transaction: that the envelope is known, not used,
// not too old, that its stored bytes match their hash, that it has an answer, that the answers pair
// up with the calls one to one and in order, and that the presented hash is the hash that was
// shown. The same transaction makes it consumed, so of any number of processes one wins. A claim
// that fails at a point where the approval could have been used spends it: the attempt counts, not
// the success.
//
// # What an approval costs
//
// [plan.Friction] grows with the risk: a key press, four characters to type, eight and a second
// factor. A factor is a one-time code after RFC 6238 (EnrollTOTP), valid once for one envelope; a
// signature; or a second person. A page on which something was cut cannot be approved before it was
// read to its end ([render.Reading], Decision.Paged). Three risky approvals within two seconds each
// bring the brake on: everything must be typed until an answer took longer or was a denial.
// [Canary] makes plans that must be denied. Asked with Request.Canary they can never run, and
// approving one brings the brake on too. [Summarize] reports from the record how people answer.
//
// Request.Quorum asks for several people. Each approval is stored until enough different people
// have approved. A call is allowed only if all of them allowed it, and one denial of all calls ends
// the question. Decision.Person says who counts as one person; Request.Requester is never one of
// them. An account is one person: if people who share an account must agree, they sign with keys of
// their own, and the account is the requester.
//
// A plan states the least trusted source of the words that led to it ([plan.Level]): a person, an
// agent, or text from outside. Work inherits the level of the work that started it ([plan.Inherit])
// and can only lower it. A quarantined plan can be allowed once, never with a grant.
//
// # Answers from elsewhere
//
// An envelope can be exported, read and answered on another machine. The answer may come back over
// any channel: it is a line signed with Ed25519 that binds the machine, the envelope, the plan, the
// nonce, a lifetime of at most 24 h and each decision. The formats are in token.go, export.go and
// delegation.go, member by member; keys and trust lists have one line each (key.go, trust.go).
//
//	request, err := e.Export(audience)                              // here: e is the envelope
//	question, err := approval.ReadQuestion(request)                 // there: render.Render(question.Payload, ...)
//	answer, err := question.Answer(true, "", now, 10*time.Minute)
//	token, err := key.Sign(answer, rand.Reader)
//	signed, err := approval.Verify(token, trust, audience, now)     // here again
//	events, err := store.DecideSigned(ctx, signed)
//
// A passkey answers in the same way: what it signs is the [Challenge] of the answer.
// [VerifyPasskey] returns a [Signed] too, and the event of the answer has the [Assertion], so that
// the record alone proves it. Package passkey checks it.
//
// A machine without people accepts a plan that was signed beforehand ([PlanAnswer], Present), once,
// with an answer for each of its calls. A trusted key may delegate to another for a while and with
// fewer rights. The delegate may not delegate further, and both are one person. [MayDecide] says
// which processes may answer at all.
//
// # Grants
//
// With an approval, a person may turn the question into a [Grant]: the same plan runs in the same
// session without asking, by default 5 times within an hour. The same plan is one with the same
// [plan.Template]: every byte of it except the ids of the calls and the agent's words. There are no
// patterns. If the question is only about an unknown tool, the grant covers the tool in its
// workspace, with any input: [plan.ForTool]. [Grantable] says for which plans a grant must not even
// be offered: high risk, interpreters, shells and wrappers, network, deletions outside the
// workspace, secrets and protected files, marked or unreadable text. Any denial in the session ends
// its grants, and each use is an event with the grant, the count and the time left.
//
// # The nonce
//
// Every envelope has a nonce, a UUID of version 4, that never leaves the store before the envelope
// ends. Files contain its SHA-256 and a masked form; events contain the hash, and the nonce itself
// after the end. The store derives from it the characters that must be typed for a risky approval
// ([Envelope.Challenge]), so keys meant for another prompt approve nothing.
//
// # The database
//
// The rules use a [DB]: buckets of keys and values, which change in transactions. Package bolt
// implements it in a file, package etcd on servers. Each method of [Store] is one transaction; no
// lock is held while a person thinks. A use, a request and the end of a run are each a [Job], and
// many processes may share one transaction for their jobs.
//
// Nothing is encrypted at rest. There is no login and there are no roles: every process of this
// user outside a sandbox acts for the person.
//
// Values that decide something carry an HMAC under a secret in the same database. It detects an
// edit, a value moved from another envelope, and disk corruption. It does not stop a program that
// reads and writes the file with care: the sandbox keeps agents from the file, and the record shows
// what was really answered.
//
// # The record
//
// This package writes no log. Each change stores an [Event] in the same transaction and returns it.
// The caller writes it to the record and then calls MarkLogged. If the caller dies between the two,
// the event stays in Unlogged, and its Seq tells the next caller whether the record has it.
// Unfinished finds a permit whose run has no recorded end. Refused attempts change nothing; they
// are returned as events with Seq 0 inside the *[Refused].
//
// # Failure
//
// The zero value of everything denies. A *[Refused] is an answer about one envelope. Any other
// error means that the store could not be used: ErrMissing, ErrCorrupt, ErrFuture, ErrLocked,
// ErrMeddled, ErrAway, ErrUnsure, ErrMoved in a *[FileError] that names the file and the remedy.
// None of them permits anything.
//
// If an older copy of the database is put back, its counter of events lags behind the record.
// Options.Record says how far the record is, and is asked before each change; a change to an older
// copy is refused with ErrBehind. This covers everything that can be used once or a limited number
// of times: approvals, grants, signed answers, one-time codes, denials. A wrong one-time code is
// not an event, so an older copy gives those attempts back.
//
// A lost database is rebuilt from the record ([History]), which forgets in one direction only: what
// was used or denied stays so, a run without an end is still known, and everything that could have
// permitted something is gone. For each error, [Explain] returns a code, the outcome in the record,
// an exit status and a sentence.
//
// # The page
//
// Package render shows a question, from the stored bytes alone, under a phrase that only this
// user's real prompts have ([LoadPhrase]). A page on which something was cut, and an answer faster
// than the page can be read, approve nothing.
//
// # Limits
//
// One requester (Request.Budget) may have 10 open questions and ask 100 in an hour; an account may
// have 200 open ones. A person at a terminal is exempt. Further questions have to wait, and none
// that is open is dropped for them. A message to an agent has at most 500 characters. An inline
// question has at most 64 KiB and 400 lines. A denied plan is denied again without asking for 10
// min, in every session, so that a person is not worn down. A near-identical one (Envelope.Kin: the
// same agent, work item, directory, tools, rules and risk) is asked, and says that it comes after a
// denial; [Grouped] puts near-identical questions together.
//
// # Example
//
//	store, err := bolt.Open(path, approval.Options{Clock: clock, Rand: rand.Reader})
//	e, created, err := store.Request(ctx, approval.Request{Session: session, Payload: plan})
//	// ErrDenied: it cools off. created is false if the same question is already open.
//	if !e.Approved() {
//		e, err = store.Wait(ctx, e.ID) // in another process, at the same time:
//		// page := render.Render(e.Payload, render.Options{Width: 80})
//		// store.Decide(ctx, approval.Decision{Envelope: e.ID, PlanHash: page.PlanHash, Calls: ...})
//	}
//	permit, err := store.Consume(ctx, approval.Claim{Session: session, Envelope: e.ID, PlanHash: freshHash})
//	// write permit.Events to the record, run what permit.Calls allow, then:
//	events, err := store.Finish(ctx, e.ID, approval.OutcomeExecuted, "exit status 0")
package approval
