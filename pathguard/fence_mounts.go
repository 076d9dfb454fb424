package pathguard

import (
	"slices"

	"github.com/tada-run/tada-run/pathguard/mounts"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// mirrored returns the mount points below the writable paths that show a path that may not be
// written under its other name: a second mount of the home in /tmp is no part of /tmp.
func mirrored(write []Grant) (points []string) {
	m := mounts.Now()
	open := func(path string) bool {
		for i := range write {
			if write[i].Tree && pathname.Within(path, write[i].Path) {
				return true
			}
		}
		return false
	}
	for i := range write {
		if !write[i].Tree {
			continue
		}
		for _, point := range m.Below(write[i].Path) {
			names, _ := m.Others(point)
			for _, name := range names {
				if !open(name) {
					points = append(points, point)
					break
				}
			}
		}
	}
	return points
}

// aliases adds the other names that each path has through mounts, and the mount points where
// something below it is seen. It leaves out /etc/hosts and similar files, which container engines
// mount from folders that may be hidden.
func aliases(paths []string) []string {
	m := mounts.Now()
	for _, p := range paths[:len(paths):len(paths)] {
		names, parts := m.Others(p)
		paths = append(paths, names...)
		for _, part := range parts {
			if !slices.Contains(neededNames(), part) {
				paths = append(paths, part)
			}
		}
	}
	return paths
}
