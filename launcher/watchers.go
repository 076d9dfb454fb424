package launcher

import (
	"errors"
	"io"
	"maps"
)

// watchers are all that is compared, in the order of the notices. To add one, write its file and a
// line here.
var watchers = []watcher{
	{afterwards | atHandOver, afterOnly(missedVariables)},
	{afterwards, afterOnly(reachedLimits)},
	{afterwards | atHandOver, afterOnly(leftRunning)},
	{afterwards | atHandOver, afterOnly(explainedRefusals)},
	{afterwards | atHandOver, gitMetadata},
	{afterwards | atHandOver, laterFiles},
	{afterwards, afterOnly(swappedFiles)},
	{afterwards, afterOnly(connections)},
	{atLast | beforeHandOver, protectedFiles},
}

func lookBefore(b before) []comparison {
	list := make([]comparison, 0, len(watchers))
	for _, w := range watchers {
		list = append(list, comparison{w.when, w.look(b)})
	}
	return list
}

// find compares what is to be compared now, and adds it to found.
func (e *ended) find(found object, now moment, out io.Writer) error {
	var problems []error
	for _, c := range e.compare {
		if c.when&now == 0 || c.compare == nil {
			continue
		}
		fields, err := c.compare(e, out)
		maps.Copy(found, fields)
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}
