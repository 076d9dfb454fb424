package replay

import "slices"

// Shadowed returns the runs for which the shadow policy has another verdict, by the record, in
// groups. It counts only the runs that the shadow policy judged.
func (rec Record) Shadowed(o Options) (Replayed, error) {
	var done Replayed
	failed := map[string]int{}
	bad, err := judged(rec, o, func(r recorded) {
		switch r.Shadow.Verdict {
		case "":
			if r.Shadow.Error != "" {
				failed[r.Shadow.Error]++
			}
			return
		case r.Verdict:
			done.Runs++
			done.Same++
			return
		}
		done.Runs++
		i := slices.IndexFunc(done.Changes, func(c *Changed) bool {
			return c.From == r.Verdict && c.To == r.Shadow.Verdict &&
				slices.Equal(c.Rules, r.Shadow.Rules)
		})
		if i < 0 {
			i = len(done.Changes)
			done.Changes = append(done.Changes, &Changed{From: r.Verdict, To: r.Shadow.Verdict,
				Rules: r.Shadow.Rules})
		}
		done.Changes[i].Count++
		done.Changes[i].example(r, "")
	})
	if bad > 0 {
		failed[badLine] = bad
	}
	sortChanges(done.Changes)
	done.Skipped = skippedBy(failed)
	return done, err
}
