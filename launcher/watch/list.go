package watch

// watchers are all that is compared, in the order of the notices. To add one, write its file and a
// line here.
var watchers = []watcher{
	{Ended | HandOver, after(missedVariables)},
	{Ended, after(reachedLimits)},
	{Ended | HandOver, after(leftRunning)},
	{Ended | HandOver, after(refusals)},
	{Ended | HandOver, gitMetadata},
	{Ended | HandOver, laterFiles},
	{Ended, after(swappedFiles)},
	{Ended, after(connections)},
	{Ended | HandOver, after(openQuestions)},
	{Closed | BeforeHand, protectedFiles},
}

// Look has all watchers look before a command.
func Look(b Before) Comparisons {
	list := make(Comparisons, 0, len(watchers))
	for _, w := range watchers {
		list = append(list, comparison{w.when, w.look(b)})
	}
	return list
}
