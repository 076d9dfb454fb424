package resolve

import (
	"bufio"
	"cmp"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// remotes finds the hosts behind the names of git remotes, for a person to read and for
// rules about hosts. What git would do beyond the plain case (insteadOf, includes, several
// addresses) is left unknown rather than guessed.
func (r *resolver) remotes() {
	for i := range r.plan.Script.Effects {
		e := &r.plan.Script.Effects[i]
		if e.Right != command.Net || e.Net == nil || e.Net.Scheme != hosts.RemoteScheme {
			continue
		}
		if r.plan.Remotes == nil {
			r.plan.Remotes = map[string]shellparse.Endpoint{}
		}
		r.plan.Remotes[e.Net.Host] = r.remote(cmp.Or(e.Net.Host, "origin"))
	}
}

// maxGitConfig bounds the configuration of a repository.
const maxGitConfig = 1 << 20

// remote reads the host of one remote from the repository's configuration.
func (r *resolver) remote(name string) (found shellparse.Endpoint) {
	if r.plan.Workspace == "" {
		return found
	}
	end := r.Walk(r.from(r.plan.Workspace), ".git/config", true)
	defer end.Close()
	if end.Missing != "" || end.FD < 0 || end.Stat.Mode&unix.S_IFMT != unix.S_IFREG ||
		end.Stat.Size > maxGitConfig {
		return found
	}
	fd, err := reopen(end.FD)
	if err != nil {
		return found
	}
	defer unix.Close(fd)
	section := ""
	for lines := bufio.NewScanner(reader(fd)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		key, value, _ := strings.Cut(line, "=")
		switch key = strings.ToLower(strings.TrimSpace(key)); {
		case strings.HasPrefix(line, "["):
			section = line
			if strings.HasPrefix(strings.ToLower(line), "[include") ||
				strings.HasPrefix(strings.ToLower(line), "[url") {
				return shellparse.Endpoint{}
			}
		case section != `[remote "`+name+`"]`:
		case key == "url" && found.Host == "":
			found = endpointOf(strings.TrimSpace(value))
		case key == "url", key == "pushurl", key == "vcs", key == "proxy":
			return shellparse.Endpoint{}
		}
	}
	return found
}

// endpointOf reads the host of a git address: scheme://user@host:port/path, or user@host:path
// as scp(1) writes it.
func endpointOf(address string) shellparse.Endpoint {
	if scheme, rest, ok := strings.Cut(address, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		e := shellparse.Endpoint{Scheme: strings.ToLower(scheme), Static: true}
		e.Host, e.Port = hosts.Cut(host[strings.LastIndexByte(host, '@')+1:])
		return e
	}
	host, _, ok := strings.Cut(address, ":")
	if !ok || strings.ContainsAny(host, "/ \\\"") {
		return shellparse.Endpoint{}
	}
	return shellparse.Endpoint{Scheme: "ssh", Host: host[strings.LastIndexByte(host, '@')+1:],
		Static: true}
}
