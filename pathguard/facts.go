package pathguard

import (
	"strconv"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

var rightNames = map[command.Right]string{
	command.Read: "read", command.Write: "write", command.Create: "create", command.Delete: "delete", command.Exec: "exec", command.Net: "net",
}

// Facts returns everything about the plan that an approval binds, as plain data: maps,
// slices, strings, ints and bools, in an order that the same plan always has. Two plans
// whose facts are equal do the same to the same files.
//
// The environment is not in it, because the launcher decides which of its values are shown
// and which are hashed; nor is what only the launcher knows: shell, umask, terminal.
func (p *Plan) Facts() map[string]any {
	s := p.Script
	facts := map[string]any{
		"text": s.Text, "canonical": s.Canonical, "dialect": int(s.Dialect), "plain": s.Plain, "argv": plainList(s.Argv),
		"cwd": place(p.Dir, p.DirID), "workspace": p.Workspace, "uid": p.Caller.UID,
		"targets":  list(p.Targets, targetFacts),
		"programs": list(p.Programs, programFacts),
		"contents": list(p.Contents, contentFacts),
		"globs": list(p.Globs, func(g *Glob) any {
			return map[string]any{"effect": g.Effect, "pattern": g.Pattern, "count": g.Count, "kept": g.Kept}
		}),
		"limits": list(p.Limits, func(l *Limit) any {
			return map[string]any{"what": l.What, "count": l.Count, "effect": l.Effect}
		}),
		"hosts": p.hosts(), "remotes": plainMap(p.Remotes),
	}
	if len(p.Inner) > 0 {
		facts["inner"] = list(p.Inner, innerFacts)
	}
	return facts
}

// innerFacts binds where a file's text leads. The text itself is bound by its hash, and what
// is read in it depends on that and on the words of the command line alone.
func innerFacts(in *Inner) any {
	facts := map[string]any{
		"path": in.Path, "command": in.Command, "targets": list(in.Plan.Targets, targetFacts), "contents": list(in.Plan.Contents, contentFacts),
		"hosts": in.Plan.hosts(), "remotes": plainMap(in.Plan.Remotes),
	}
	if len(in.Plan.Inner) > 0 {
		facts["inner"] = list(in.Plan.Inner, innerFacts)
	}
	return facts
}

func targetFacts(t *Target) any {
	return map[string]any{
		"right": rightNames[t.Right], "flags": int(t.Flags), "name": t.Name, "at": place(t.Real, t.ID), "exists": t.Exists,
		"missing": t.Missing, "mode": int64(t.Mode), "links": plainList(t.Links), "kind": int(t.Kind), "unknown": t.Unknown,
	}
}

func programFacts(p *Program) any {
	return map[string]any{
		"name": p.Name, "path": p.Path, "at": place(p.Real, p.ID), "size": p.Size, "mtime": p.ModTime, "mode": int64(p.Mode), "sha256": p.Sum,
	}
}

// contentFacts binds a file by what is in it; the time stands in only where no hash can.
func contentFacts(c *Content) any {
	facts := map[string]any{"at": place(c.Path, c.ID), "size": c.Size, "sha256": c.Sum, "why": c.Why}
	if c.Sum == "" {
		facts["mtime"] = c.ModTime
	}
	return facts
}

func (p *Plan) hosts() []any {
	hosts := []any{}
	for i := range p.Script.Effects {
		if e := &p.Script.Effects[i]; e.Right == command.Net {
			n := e.Net
			if n == nil {
				n = &shellparse.Endpoint{}
			}
			hosts = append(hosts, map[string]any{"scheme": n.Scheme, "host": n.Host, "port": n.Port, "static": n.Static, "upload": n.Upload})
		}
	}
	return hosts
}

// place names an inode. The numbers are text: a device or inode can be larger than what
// every reader of JSON keeps exactly.
func place(path string, id ID) map[string]any {
	return map[string]any{"path": path, "dev": number(id.Dev), "ino": number(id.Ino)}
}

func list[T any](items []T, fact func(*T) any) []any {
	out := make([]any, len(items))
	for i := range items {
		out[i] = fact(&items[i])
	}
	return out
}

func plainList(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }

func plainMap(m map[string]string) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}
