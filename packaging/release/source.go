package main

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A source is the commit that is released.
type source struct {
	commit  string
	time    time.Time // of the commit
	tag     string    // "" for a commit without one
	changed bool      // there are changes that are not committed
	version string    // as packages have it, without v
}

// tagForm is a version of three numbers, with what comes before one behind it: every kind of
// package has its own spelling for that, and nfpm knows them.
var tagForm = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)\.?[0-9]+)?$`)

// describe asks git. Without a tag, the version is 0.0. and the time of the commit: every kind of
// package accepts it, it grows, and it is older than any release.
func describe(root string) (s source, err error) {
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", root}, args...)...)
		out, failed := cmd.Output()
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("git %s: %w", strings.Join(args, " "), failed))
		}
		return strings.TrimSpace(string(out))
	}
	s.commit = git("rev-parse", "HEAD")
	seconds := git("show", "--no-patch", "--format=%ct", "HEAD")
	s.changed = git("status", "--porcelain") != ""
	for _, tag := range strings.Fields(git("tag", "--points-at", "HEAD")) {
		if tagForm.MatchString(tag) {
			s.tag = tag
		}
	}
	if err != nil {
		return s, err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	s.time = time.Unix(unix, 0).UTC()
	s.version = strings.TrimPrefix(s.tag, "v")
	if s.tag == "" {
		s.version = "0.0." + s.time.Format("20060102150405")
	}
	return s, err
}
