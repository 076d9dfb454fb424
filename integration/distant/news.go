package distant

import (
	"encoding/json"
	"strings"

	"github.com/tada-run/tada-run/approval"
)

// News is what tada-fleet says at each change: which questions are open, by MACHINE/ID/PLAN, and
// the text of those that it has not told before.
type News struct {
	Open []string `json:"open"`
	New  []Told   `json:"new,omitempty"`
}

// A Told is a question and where it comes from.
type Told struct {
	Machine string `json:"machine"`
	Labels  string `json:"labels"`
	Text    string `json:"question"` // see approval.Envelope.Export
}

// A Question is an open question of another machine.
type Question struct {
	approval.Question
	Machine string // what people call it
	Labels  string
}

// ID names the question among those of all machines: MACHINE/ID.
func (q Question) ID() string { return q.Audience + "/" + q.Envelope }

func (q Question) key() string { return q.ID() + "/" + q.PlanHash }

// A List is what is open elsewhere.
type List struct {
	Questions []Question
	Away      error // why it is not known now; nil if it is
}

// known are the questions that were told, by key.
type known map[string]Question

// take reads a line of News and returns what is open. What was told and is not open any more is
// forgotten.
func (k *known) take(line []byte) ([]Question, error) {
	var n News
	if err := json.Unmarshal(line, &n); err != nil {
		return nil, err
	}
	for _, t := range n.New {
		q, err := approval.ReadQuestion([]byte(t.Text))
		if err != nil {
			return nil, err
		}
		one := Question{Question: q, Machine: t.Machine, Labels: t.Labels}
		(*k)[one.key()] = one
	}
	now, list := known{}, []Question{}
	for _, id := range n.Open {
		if q, told := (*k)[id]; told && strings.Count(id, "/") == 2 {
			now[id] = q
			list = append(list, q)
		}
	}
	*k = now
	return list, nil
}
