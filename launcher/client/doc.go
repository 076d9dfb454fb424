// Package client describes the agent program of a session, and what the session opens for it: a
// folder of its own for its files, copies of the person's settings in it, the hosts of its vendor,
// and its keys. What each program needs is a fact about it (package agents).
package client
