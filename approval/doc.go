// Package approval keeps one person's approval: good for one plan, once, soon.
//
// # The parties
//
// The requester is a program that wants to run something for an agent. It asks with a plan and
// learns the envelope's id and nothing else. The person reads the plan, rendered from the stored
// bytes, and answers through a channel that the agent cannot write. The executor resolves the plan
// afresh, just before it runs, and claims the approval with the hash of what it found. Requester
// and executor are mostly one process; between its question and its claim the world may change, and
// then the claim fails. The store is between them: a file that no sandbox lets an agent reach.
//
// # The plan
//
// A plan is a JSON object in the one spelling of package canonical. Its SHA-256 in hexadecimal is
// the plan hash. Package plan says what is read of it.
//
// # The life of an envelope
//
//	          Decide: all denied, Cancel
//	        +---------------------------> rejected
//	pending +--- Consume ---------------> consumed
//	        +--- time -----------------> expired
//
// A denial may name another command ([CallDecision].Instead), such as a part of a list that is one
// call. That permits nothing: the requester gets it, and asks about it as a plan of its own.
//
// Cancel is for a question that was left without an answer, and for one whose requester is gone:
// nothing is remembered of it. Only a denial keeps its plan from being asked again, and Undeny
// takes that back.
//
// There is no other transition. An answer does not change the state: it is kept beside it, and a
// pending envelope with a yes can be consumed. A question lives for Options.TTL (1 h), a yes for
// Options.Unused (5 min) of that. Both ends are checked in the transaction that uses them, by the
// wall clock and by CLOCK_BOOTTIME, so setting the clock back revives nothing; after a reboot only
// the wall clock is left. The end itself is outside.
//
// Consume checks, in this order, in one write transaction: that the envelope is known, not used,
// not too old, that its stored bytes fit their hash, that it has an answer, that the answers pair
// up with the calls one to one and in order, and that the hash presented is the hash that was
// shown. The transaction that finds all this true also makes it consumed; of any number of
// processes one wins. A claim that fails after the point where the approval could have been used
// spends it: the attempt counts, not the success.
//
// # What an approval costs
//
// [plan.Friction] grows with the risk: a key, four characters to type, eight and a second factor. A
// factor is a one-time code after RFC 6238 (EnrollTOTP), good once for one envelope; a signature;
// or a second person. A page on which something was cut is not approved before it was read to its
// end ([render.Reading], Decision.Paged). Three risky approvals in less than two seconds each bring
// the brake on: everything must be typed until somebody took their time or said no. [Canary] makes
// plans that must be denied; asked with Request.Canary they can never run, and approving one brings
// the brake on too. [Summarize] reports from the record how people answer.
//
// Request.Quorum asks for several people. Each yes is kept until enough different people have said
// it; a call is allowed only if all of them allowed it, and who denies all of it ends the question.
// Decision.Person says who counts as one; Request.Requester is never one of them. An account is one
// person: where people of one account must agree, they sign with keys of their own, and the account
// is the requester.
//
// A plan says whose words led to it ([plan.Level]): a person's, an agent's, or text from outside.
// Work inherits the level of the work that started it ([plan.Inherit]) and can only lower it; what
// is quarantined is allowed once and never for a while.
//
// # Answers from elsewhere
//
// An envelope can be exported, read and answered on another machine, and the answer carried back
// through any hands: a line signed with Ed25519 that binds the machine, the envelope, the plan, the
// nonce, a time of at most 24 h and each decision. The formats are in token.go, export.go and
// delegation.go by member; keys and trust lists are one line each (key.go, trust.go).
//
//	request, err := e.Export(audience)                              // here: e is the envelope
//	question, err := approval.ReadQuestion(request)                 // there: render.Render(question.Payload, ...)
//	answer, err := question.Answer(true, "", now, 10*time.Minute)
//	token, err := key.Sign(answer, rand.Reader)
//	signed, err := approval.Verify(token, trust, audience, now)     // here again
//	events, err := store.DecideSigned(ctx, signed)
//
// A machine without people takes a plan that was signed beforehand ([PlanAnswer], Present), of one
// call or of several with an answer for each, once. A trusted key may delegate to another for a
// while and for less; the delegate may not pass it on, and both are one person. [MayDecide] says
// which process may answer at all.
//
// # Standing approvals
//
// With a yes, a person may make the question a [Grant]: the same plan in the same session without
// asking, 5 times within an hour unless told otherwise. The same plan is the same [plan.Template]:
// every byte of it but the ids of the calls and the agent's words. There are no patterns. Of a
// question that is only about an unknown tool it covers the tool in its workspace, with
// any input: [plan.ForTool]. [Grantable] says for which plans the choice must not even be offered:
// high risk, interpreters, shells and wrappers, network, deletions outside of the workspace,
// secrets and protected files, marked or unreadable text. Any denial in the session ends its
// grants, and each use is an event that names the grant, the count and the time left.
//
// # The nonce
//
// Every envelope has a nonce, a UUID of version 4, that never leaves the store while it lives.
// Files hold its SHA-256 and a masked form; events name the hash, and the nonce itself once it is
// dead. From it the store derives the characters that a risky approval must be typed with
// ([Envelope.Challenge]), so that keys meant for another prompt approve nothing.
//
// # The database
//
// The rules know a [DB]: buckets of keys and values, which change in transactions. Package bolt
// has one in a file. Each method of [Store] is one transaction; nothing is held while a person
// thinks. A use, a request and an end of a run are a [Job], which many processes may share one
// transaction for.
//
// Nothing is encrypted at rest. There is no login and there are no roles: every process of this
// user outside of a sandbox acts for the person.
//
// Values that decide something carry an HMAC under a secret in the same database. It detects an
// edit, a value moved from another envelope, and decay of the disk. It does not stop a program that
// reads and writes the file with care: the sandbox keeps agents from the file, and the record shows
// what was really answered.
//
// # The record
//
// This package writes no log. Each change stores an [Event] in the same transaction and returns it.
// The caller writes it to the record and then calls MarkLogged; a caller that dies between leaves
// it to Unlogged, with its Seq, by which the next one can tell whether the record has it. A permit
// whose run has no recorded end is found by Unfinished. Refused attempts change nothing, and come
// as events with Seq 0 inside the *[Refused].
//
// # Failure
//
// The zero value of everything denies. A *[Refused] is an answer about one envelope; any other
// error means that the store could not be used: ErrMissing, ErrCorrupt, ErrFuture, ErrLocked,
// ErrMeddled in a *[FileError] that names the file and what helps. None of them permits anything.
//
// An older copy of the database that is put back has a counter of events that lags behind the
// record. Options.Record tells how far the record is, and is asked before each change; the change
// is refused with ErrBehind then. That holds for whatever is used once or so many times: approvals,
// grants, signed answers, one-time codes, denials. A wrong one-time code is no event, so an older
// copy gives those attempts back.
//
// A database that is lost is made anew from the record ([History]), which forgets in one direction
// only: what was used or denied stays so, a run without an end is still known, and whatever could
// have permitted something is gone. [Explain] has for each error a code, the outcome in the record,
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
// 10 open questions for those who ask (Request.Budget), 100 in an hour, and 200 open ones in all,
// which a person at a terminal is exempt from; more have to wait, and none that is open is given up
// for them; 500 characters for the words to an agent; inline questions of at most 64 KiB and 400
// lines; a denied plan is denied again without asking for 10 min, in whatever session, so that a
// person is not worn down. A near-identical one (Envelope.Kin: the same agent, work item,
// directory, tools, rules and risk) is asked, and says that it comes after a no; [Grouped] puts
// what is near-identical together.
//
// # Example
//
//	store, err := bolt.Open(path, approval.Options{Clock: clock, Rand: rand.Reader})
//	e, created, err := store.Request(ctx, approval.Request{Session: session, Payload: plan})
//	// ErrDenied: it cools off. created is false when the same question is open already.
//	if !e.Approved() {
//		e, err = store.Wait(ctx, e.ID) // meanwhile, elsewhere:
//		// page := render.Render(e.Payload, render.Options{Width: 80})
//		// store.Decide(ctx, approval.Decision{Envelope: e.ID, PlanHash: page.PlanHash, Calls: ...})
//	}
//	permit, err := store.Consume(ctx, approval.Claim{Session: session, Envelope: e.ID, PlanHash: freshHash})
//	// write permit.Events to the record, run what permit.Calls allow, then:
//	events, err := store.Finish(ctx, e.ID, approval.OutcomeExecuted, "exit status 0")
package approval
