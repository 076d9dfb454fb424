package resolve

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// remotes replaces each git remote by its address in the settings of git: the hosts of its
// addresses, or folders that are read or written. A remote whose address is not known stays as it
// is. The script belongs to the caller, who may ask again with other settings, so the plan has a
// copy.
func (r *resolver) remotes() {
	script := r.plan.Script
	if !slices.ContainsFunc(script.Effects, isRemote) {
		return
	}
	var effects []shellparse.Effect
	for _, e := range script.Effects {
		stands := []shellparse.Effect(nil)
		if isRemote(e) && e.Net.Static && e.Command >= 0 && e.Command < len(script.Commands) &&
			!slices.ContainsFunc(script.Commands[:e.Command], changesRemotes) {
			stands = r.standsFor(e, &script.Commands[e.Command])
		}
		if stands == nil {
			stands = []shellparse.Effect{e}
		}
		effects = append(effects, stands...)
	}
	own := *script
	own.Effects = effects
	r.plan.Script = &own
}

func isRemote(e shellparse.Effect) bool {
	return e.Right == command.Net && e.Net != nil && e.Net.Scheme == hosts.RemoteScheme
}

// changesRemotes reports whether a command may change the addresses of remotes.
func changesRemotes(c shellparse.Command) bool {
	changes := func(w shellparse.Word) bool {
		return !w.Static || w.Text == "remote" || w.Text == "config" || w.Text == "init"
	}
	return c.Name == "git" && !c.ReadOnly && slices.ContainsFunc(c.Args, changes)
}

// standsFor returns what a command does to the addresses of a remote; nil where that is not known.
func (r *resolver) standsFor(e shellparse.Effect,
	c *shellparse.Command) (list []shellparse.Effect) {
	git := r.gitRemotes(c)
	if git == nil {
		return nil
	}
	addresses := git.addresses(e.Net.Host, e.Net.Upload || e.Flags&command.Upload != 0)
	for _, address := range addresses {
		one := e
		if folder, ok := localAddress(address); ok {
			one.Net, one.Right, one.Flags = nil, command.Read, command.Recursive
			if e.Net.Upload || e.Flags&command.Upload != 0 {
				one.Right = command.Write
			}
			one.Name = shellparse.Name{Text: folder, Static: true, Dir: git.top}
			list = append(list, one)
			continue
		}
		end := endpointOf(address)
		if end.Host == "" {
			return nil
		}
		if end.Scheme == "ssh" || strings.Contains(end.Scheme, "ssh") {
			r.throughConfig(&end)
		}
		end.Static, end.Upload = true, e.Net.Upload
		one.Net = &end
		list = append(list, one)
	}
	return list
}

// throughConfig applies the user's settings of ssh(1) to the name of a host: HostName and Port. A
// host that is reached by another one stays a name, which leads nowhere unasked.
func (r *resolver) throughConfig(e *shellparse.Endpoint) {
	config := sshConfig{host: e.Host}
	for _, name := range []string{r.home() + "/.ssh/config", "/etc/ssh/ssh_config"} {
		config.read(r.smallFile(name))
	}
	if config.jumps() {
		return
	}
	if name := config.first["hostname"]; name != "" {
		e.Host = strings.ReplaceAll(name, "%h", e.Host)
	}
	if port := number(config.first["port"]); e.Port == 0 && port > 0 {
		e.Port = port
	}
}
