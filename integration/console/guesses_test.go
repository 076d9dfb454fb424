package console_test

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// Whoever has a session guesses at most 20 codes of questions in ten minutes, over all questions,
// also at once.
func TestCodesOfQuestionsGuessed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, other := w.enter(), w.enter()
	forms := map[string]string{}
	for range 8 {
		e := w.ask()
		_, page := g.send("GET", g.root+"q/"+e.ID, "", nil)
		forms[e.ID] = "answer=approve&code=000000&plan=" + hidden(t, page, "plan") +
			"&proof=" + hidden(t, page, "proof")
	}
	var mu sync.Mutex
	said := map[string]int{}
	var all sync.WaitGroup
	for id, form := range forms {
		for range 3 {
			all.Go(func() {
				_, text := g.send("POST", g.root+"q/"+id, form, nil)
				mu.Lock()
				defer mu.Unlock()
				for _, s := range []string{"not the code", "three wrong codes", "too many"} {
					if strings.Contains(text, s) {
						said[s]++
					}
				}
			})
		}
	}
	all.Wait()
	if n := said["not the code"] + said["three wrong codes"]; n != 20 || said["too many"] != 4 ||
		w.count("refused") != 20 {
		t.Errorf("%v, %d recorded", said, w.count("refused"))
	}
	// others still answer, and so does this session after a while
	e := w.ask()
	for _, one := range []*guest{other, g} {
		_, page := one.send("GET", one.root+"q/"+e.ID, "", nil)
		_, text := one.send("POST", one.root+"q/"+e.ID, "answer=approve&code=000000&plan="+
			hidden(t, page, "plan")+"&proof="+hidden(t, page, "proof"), nil)
		if !strings.Contains(text, "not the code") {
			t.Error(text)
		}
		w.pass(10*time.Minute + time.Second)
	}
}
