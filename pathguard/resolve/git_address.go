package resolve

import (
	"strings"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/shellparse"
)

// localAddress returns the folder that a git address means, where it means one (git-clone(1)).
func localAddress(address string) (folder string, ok bool) {
	if rest, isFile := strings.CutPrefix(address, "file://"); isFile {
		return "/" + strings.TrimLeft(rest, "/"), true
	}
	colon, slash := strings.IndexByte(address, ':'), strings.IndexByte(address, '/')
	return address, address != "" && (colon < 0 || slash >= 0 && slash < colon)
}

// endpointOf reads the host of a git address: scheme://user@host:port/path, or user@host:path
// as scp(1) writes it.
func endpointOf(address string) shellparse.Endpoint {
	if strings.Contains(address, "::") && !strings.Contains(address, "[") {
		return shellparse.Endpoint{} // a helper of git's
	}
	if scheme, rest, ok := strings.Cut(address, "://"); ok {
		host, path, _ := strings.Cut(rest, "/")
		host = host[strings.LastIndexByte(host, '@')+1:]
		e := shellparse.Endpoint{Scheme: strings.ToLower(scheme), Static: true,
			Repository: repositoryAt(host, path)}
		e.Host, e.Port = hosts.Cut(host)
		return e
	}
	host, path, ok := strings.Cut(address, ":")
	if !ok || strings.ContainsAny(host, "/ \\\"") {
		return shellparse.Endpoint{}
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	return shellparse.Endpoint{Scheme: "ssh", Host: host, Static: true,
		Repository: repositoryAt(host, path)}
}

// RepositoryOf names the repository of a git address; "" for none.
func RepositoryOf(address string) string { return endpointOf(address).Repository }

// repositoryAt names a repository as its host shows it, without the account that logs in.
func repositoryAt(host, path string) string {
	return host + "/" + strings.TrimSuffix(strings.Trim(path, "/"), ".git")
}
