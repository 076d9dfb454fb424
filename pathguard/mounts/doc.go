// Package mounts finds the other names that a path has by mounts.
package mounts
