package render

import (
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// Lists and status lines have no room for a page. What they show of a command is made here, for all
// of them: what a reason points at is never left out, and what is left out is counted.

// A Piece is a part of a text that is shown, not yet escaped. Cut is the number of characters left
// out before it.
type Piece struct {
	Text string
	Cut  int
}

// A CallSummary is one call in short.
type CallSummary struct {
	ID     string
	Pieces []Piece
}

// Summary returns the calls of a plan as a list shows them, in order, in about room characters for
// all of them. If a call has the agent's own command in a text around it, that command is shown,
// unless a reason points at what is around it. Summary returns nil for a payload that is not a
// plan.
func Summary(payload []byte, room int) []CallSummary {
	tree, err := canonical.Parse(payload)
	top, ok := tree.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	calls := plan.Fields(top).List("tool_calls")
	var out []CallSummary
	for _, c := range calls {
		call, _ := c.(map[string]any)
		args, _ := call["args"].(map[string]any)
		id, text, inside := plan.Fields(call).Text("tool_call_id"),
			plan.Fields(args).Text("command"), plan.Fields(args).Text("inside")
		spans := dangerSpans(top, id, len(calls) == 1, len(text))
		if inside != "" {
			if mine, rest := inner(text, inside, spans); len(rest) == 0 {
				text, spans = inside, mine
			}
		}
		out = append(out, CallSummary{id, Shorten(text, spans, max(room/len(calls), leastRoom))})
	}
	return out
}

// leastRoom is too short to distinguish commands.
const leastRoom = 24

// Shorten returns the pieces of a text that are shown in about room characters: its beginning, what
// the spans cover with a little around it, and, if no span says where to look, its end. A span much
// longer than room is itself shortened. An invalid byte is one character. The last piece is empty
// if the end is left out.
func Shorten(text string, spans [][2]int, room int) []Piece {
	var at []int
	for i := 0; i < len(text); i += charLen(text[i:]) {
		at = append(at, i)
	}
	n := len(at)
	if n <= room {
		return []Piece{{Text: text}}
	}
	keep := make([]bool, n)
	left := room
	take := func(i int) {
		if i >= 0 && i < n && !keep[i] {
			keep[i] = true
			left--
		}
	}
	const around = 8
	for _, s := range spans {
		first, last := -1, -1
		for i, offset := range at {
			if offset >= s[0] && offset < s[1] {
				if first < 0 {
					first = i
				}
				last = i
			}
		}
		if first < 0 || first == 0 && last == n-1 {
			continue
		}
		long := last-first >= spanRooms*room
		for i := first - around; i <= last+around; i++ {
			if !long || i < first+room/2 || i > last-room/2 {
				take(i)
			}
		}
	}
	end := 0
	if left == room { // no span says where to look
		end = room / 3
	}
	for i := n - end; i < n; i++ {
		take(i)
	}
	for i := 0; i < n && left > 0; i++ {
		take(i)
	}
	for i, from := 0, 0; i < n; i++ { // a count of few characters is longer than they are
		if keep[i] {
			for j := from; i-from <= leastGap && j < i; j++ {
				keep[j] = true
			}
			from = i + 1
		}
	}
	return piecesOf(text, append(at, len(text)), keep)
}

// leastGap is the fewest characters that are left out.
const leastGap = 16

// spanRooms is how many times room one span may take before it is shortened too.
const spanRooms = 4

func piecesOf(text string, at []int, keep []bool) []Piece {
	var out []Piece
	cut := 0
	for i := 0; i < len(keep); {
		j := i
		for j < len(keep) && keep[j] == keep[i] {
			j++
		}
		if keep[i] {
			out = append(out, Piece{Text: text[at[i]:at[j]], Cut: cut})
			cut = 0
		} else {
			cut = j - i
		}
		i = j
	}
	if cut > 0 {
		out = append(out, Piece{Cut: cut})
	}
	return out
}
