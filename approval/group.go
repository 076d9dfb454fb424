package approval

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	bolt "go.etcd.io/bbolt"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// Group commit. A commit waits for the disk twice, about a millisecond in all, and 64 processes
// that take turns wait 64 times that. So those who find the database busy board together: the first
// makes a boarding file and leads, the others write their tasks into it, one line each. When the
// leader's turn comes it closes the boarding, does every task in one transaction and writes the
// answers into the same file. What is permitted is on the disk before anybody reads so.
//
// The leader holds an exclusive flock on the file from before it can be seen, and a bell, and the
// others wait for the end of both, so all of them wake at once when the answers are there, and also
// when the leader was killed. Whoever then finds no answer does the task alone. Each task carries a
// ticket, by which the store knows one that was done already, so a lost answer is no lost approval
// and no second one.

// A task is one operation in a form that another process can do.
type task struct {
	verb   string
	args   plan.Fields
	ticket string // names this task and no other
}

// A result is what a task came to, read in its transaction. It has no more than its verb gives to
// the caller: what one process spells for 63 others, they wait for.
type result struct {
	e       *entry         // of a request
	created bool           // of a request
	id      string         // of a use
	calls   []CallDecision // of a use
	events  []Event
	refusal error // a *Refused or nil
}

// verbs are the operations that every run needs, so that many runs at once need few commits. What
// a person does is alone in its transaction.
var verbs = map[string]func(*tx, task) (result, error){
	"request":  (*tx).requestTask,
	"consume":  (*tx).consumeTask,
	"finish":   (*tx).finishTask,
	"recorded": (*tx).recordedTask,
}

const (
	boardSuffix = ".board"

	// How often to board before taking the lock alone; a boarding can be missed by a hair.
	boardings = 3
	// A longer task goes alone, so that one process cannot make the others read much.
	maxTask = 1 << 20
	// More tasks than these wait for the next transaction.
	maxTasks = 256
)

// do does one task: at once when the database is free, else together with others.
func (b *Bolt) do(ctx context.Context, k task) (result, error) {
	var ticket [16]byte
	if _, err := io.ReadFull(b.o.Rand, ticket[:]); err != nil {
		return result{}, fmt.Errorf("approval: reading randomness: %w", err)
	}
	k.ticket = hex.EncodeToString(ticket[:])
	lock, err := b.tryLock()
	if err != nil {
		return result{}, err
	}
	for range boardings {
		if lock != nil {
			break
		}
		r, done, err := b.board(ctx, k)
		if done || err != nil {
			return r, err
		}
	}
	if lock == nil {
		if lock, err = b.lock(ctx, true); err != nil {
			return result{}, err
		}
	}
	defer lock.Close()
	b.clearBoard()
	results, err := b.transact(lock, []task{k})
	if err != nil {
		return result{}, err
	}
	return results[0], nil
}

// transact does the tasks in one write transaction. A task that fails, which is more than being
// refused, undoes them all.
func (b *Bolt) transact(lock *os.File, tasks []task) ([]result, error) {
	results := make([]result, 0, len(tasks))
	err := b.write(lock, func(t *tx) error {
		for _, k := range tasks {
			r, err := t.perform(k)
			if err != nil {
				return err
			}
			results = append(results, r)
		}
		return nil
	})
	return results, err
}

// perform does one task.
func (t *tx) perform(k task) (result, error) {
	fn, ok := verbs[k.verb]
	if !ok {
		return result{}, fmt.Errorf("approval: task %q is unknown", k.verb)
	}
	before := len(t.events)
	r, err := fn(t, k)
	r.events = t.events[before:len(t.events):len(t.events)]
	if isRefusal(err, &r.refusal) {
		err = nil
	}
	return r, complete(r.events, t.now, r.e, r.refusal, err)
}

// board does a task together with others. It reports false when that failed without an answer;
// the task may have been done all the same, and must be done again under the same ticket.
func (b *Bolt) board(ctx context.Context, k task) (result, bool, error) {
	line, err := k.line()
	if err != nil || len(line) > maxTask {
		return result{}, false, nil
	}
	f, err := openBoard(b.path + boardSuffix)
	switch {
	case err != nil:
		return result{}, false, fileError(b.path+boardSuffix, err)
	case f == nil:
		return b.lead(ctx, k)
	}
	defer f.Close()
	if tryShared(f) { // nobody leads: it was left by a leader that died
		return result{}, false, nil
	}
	if _, err := f.Write(line); err != nil {
		return result{}, false, fileError(f.Name(), err)
	}
	// From here on the task may be done at any time, so the caller's wish to stop comes too late.
	if err := waitBoard(f, b.o.LockWait, b.o.Waiting); err != nil {
		return result{}, false, nil
	}
	r, ok := findAnswer(f, k.ticket, &b.o)
	return r, ok, nil
}

// lead makes a boarding file, waits for its turn and does what was written into the file by then.
func (b *Bolt) lead(ctx context.Context, k task) (result, bool, error) {
	f, err := makeBoard(b.path + boardSuffix)
	if f == nil || err != nil { // somebody else was first, or there can be none here
		return result{}, false, nil
	}
	if bell := hangBell(f); bell != nil {
		defer bell.Close() // wakes the others, whatever happens here
	}
	defer f.Close()
	lock, err := b.lock(ctx, true)
	if err != nil {
		return result{}, false, err
	}
	defer lock.Close()
	if err := dropBoard(f); err != nil {
		return result{}, false, fileError(b.path+boardSuffix, err)
	}
	b.o.step("boarded")
	tasks := append([]task{k}, readTasks(f)...)
	results, err := b.transact(lock, tasks)
	if err != nil && len(tasks) > 1 {
		// The others' tasks are theirs to do again: one of them may be what failed.
		results, err = b.transact(lock, tasks[:1])
	}
	if err != nil {
		return result{}, false, err
	}
	lock.Close() // the next leader need not wait for what follows
	b.o.step("to answer")
	if len(results) > 1 {
		f.Write(answers(tasks[1:], results[1:])) // who finds no answer does the task again, and is then told that it was done
	}
	return results[0], true, nil
}

// answers spells results, each a line, and behind them an index, so that nobody reads what is for
// others: 64 readers of 64 answers are most of what 64 processes would do. The index has a line for
// each ticket with the distance of its answer from the end of all and its length, and a last line
// with their number.
func answers(tasks []task, results []result) []byte {
	var out []byte
	starts := make([]int, len(results)+1)
	for i, r := range results {
		out = append(out, r.line(tasks[i].ticket)...)
		starts[i+1] = len(out)
	}
	end := len(out) + len(results)*indexLine + indexEnd
	for i := range results {
		out = fmt.Appendf(out, "%-32.32s %08x %08x\n", tasks[i].ticket, end-starts[i], starts[i+1]-starts[i])
	}
	return fmt.Appendf(out, "index %08x\n", len(results))
}

// The lengths of a line of the index, and of its last one.
const (
	indexLine = 32 + 1 + 8 + 1 + 8 + 1
	indexEnd  = len("index ") + 8 + 1
)

// clearBoard removes a boarding file whose leader died. Only who holds the lock may remove one.
func (b *Bolt) clearBoard() {
	f, err := openBoard(b.path + boardSuffix)
	if f == nil || err != nil {
		return
	}
	defer f.Close()
	if tryShared(f) {
		dropBoard(f)
	}
}

func (k task) line() ([]byte, error) {
	b, err := canonical.Append(nil, map[string]any{"args": map[string]any(k.args), "ticket": k.ticket, "verb": k.verb})
	return append(b, '\n'), err
}

// readTasks reads the lines of a boarding file. A line that is torn, or is no task, is nobody's.
func readTasks(f *os.File) []task {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(f, 16*maxTask))
	if err != nil {
		return nil
	}
	var tasks []task
	seen := map[string]bool{}
	for line := range bytes.Lines(text) {
		v, err := canonical.Parse(bytes.TrimSuffix(line, []byte("\n")))
		m, _ := v.(map[string]any)
		args, ok := m["args"].(map[string]any)
		k := task{verb: plan.AsFields(m).Text("verb"), args: args, ticket: plan.AsFields(m).Text("ticket")}
		if err != nil || !ok || k.ticket == "" || verbs[k.verb] == nil || seen[k.ticket] || len(tasks) == maxTasks {
			continue
		}
		seen[k.ticket] = true
		tasks = append(tasks, k)
	}
	return tasks
}

// findAnswer looks for the answer to a ticket. There is none when the leader died, or when a task
// was written too late for it.
func findAnswer(f *os.File, ticket string, o *Options) (result, bool) {
	line, err := indexed(f, ticket)
	if err != nil {
		return result{}, false
	}
	v, err := canonical.Parse(bytes.TrimSuffix(line, []byte("\n")))
	m, ok := v.(map[string]any)
	if err != nil || !ok || plan.AsFields(m).Text("answer") != ticket {
		return result{}, false
	}
	return readResult(m, o), true
}

// indexed reads the line that the index has for a ticket.
func indexed(f *os.File, ticket string) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	part := func(back, length int64) ([]byte, error) {
		if length < 0 || back < length || back > info.Size() {
			return nil, io.ErrUnexpectedEOF
		}
		p := make([]byte, length)
		_, err := f.ReadAt(p, info.Size()-back)
		return p, err
	}
	last, err := part(int64(indexEnd), int64(indexEnd))
	if err != nil {
		return nil, err
	}
	n, ok := hexIn(last, len("index "))
	if !ok || !bytes.HasPrefix(last, []byte("index ")) || n > maxTasks {
		return nil, io.ErrUnexpectedEOF
	}
	index, err := part(n*indexLine+int64(indexEnd), n*indexLine)
	if err != nil {
		return nil, err
	}
	_, entry, found := bytes.Cut(index, fmt.Appendf(nil, "%-32.32s ", ticket))
	if !found {
		return nil, io.ErrUnexpectedEOF
	}
	back, ok1 := hexIn(entry, 0)
	length, ok2 := hexIn(entry, 8+1)
	if !ok1 || !ok2 {
		return nil, io.ErrUnexpectedEOF
	}
	return part(back, length)
}

// hexIn reads the eight digits that begin at a place of the index.
func hexIn(b []byte, at int) (n int64, ok bool) {
	if len(b) < at+8 {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[at:at+8]), 16, 32)
	return int64(v), err == nil
}

// line spells a result for the process that waits for it.
func (r result) line(ticket string) []byte {
	f := plan.Fields{"answer": ticket, "calls": callList(r.calls), "created": r.created, "events": eventList(r.events), "id": r.id}
	var refused *Refused
	if errors.As(r.refusal, &refused) {
		f["refusal"] = map[string]any{
			"code": codeOf(refused.Err), "envelope": refused.Envelope, "events": eventList(refused.Events),
			"instead": refused.Instead, "message": refused.Message, "outcome": refused.Outcome, "until": plan.FormatTime(refused.Until),
		}
	}
	if r.e != nil {
		f["envelope"] = map[string]any(r.e.spell())
	}
	b, err := canonical.Append(make([]byte, 0, 4<<10), map[string]any(f))
	if err != nil {
		return nil
	}
	return append(b, '\n')
}

func readResult(f plan.Fields, o *Options) result {
	r := result{created: f.Flag("created"), events: readEvents(f.List("events")), id: f.Text("id"), calls: readCalls(f.List("calls"))}
	if m, ok := f["refusal"].(map[string]any); ok {
		x := plan.Fields(m)
		r.refusal = &Refused{Envelope: x.Text("envelope"), Outcome: x.Text("outcome"), Message: x.Text("message"), Instead: x.Text("instead"),
			Until: x.Time("until"), Events: readEvents(x.List("events")), Err: errorOf(x.Text("code"))}
	}
	if m, ok := f["envelope"].(map[string]any); ok {
		r.e = readEntry(m, o)
		r.e.Events = r.events
	}
	return r
}

func eventList(events []Event) []any {
	out := make([]any, 0, len(events))
	for _, e := range events {
		out = append(out, map[string]any(e.fields()))
	}
	return out
}

func readEvents(list []any) []Event {
	var out []Event
	for _, v := range list {
		m, _ := v.(map[string]any)
		out = append(out, readEvent(m))
	}
	return out
}

// write runs fn in one write transaction under the lock that the caller holds. When fn fails, or
// changes nothing, nothing is written.
func (b *Bolt) write(lock *os.File, fn func(*tx) error) error {
	return b.writeAfter(lock, (*tx).compare, fn)
}

// writeAfter is write with a look at the record before it.
func (b *Bolt) writeAfter(lock *os.File, look, fn func(*tx) error) error {
	b.o.step("locked")
	if err := b.make(lock); err != nil {
		return err
	}
	b.o.step("made")
	var bells []*os.File
	err := b.open(b.path, false, func(db *bolt.DB) error {
		return db.Update(func(btx *bolt.Tx) error {
			t, err := b.begin(btx)
			if err == nil {
				err = look(t)
			}
			if err != nil {
				return err
			}
			if err := fn(t); err != nil {
				return err
			}
			b.o.step("changed")
			if !t.changed {
				return errUnchanged
			}
			bells = b.bells(t.events)
			b.o.step("bells open")
			return nil
		})
	})
	b.o.step("closed")
	ring(bells)
	b.o.step("rung")
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}
