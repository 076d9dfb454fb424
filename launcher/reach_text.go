package launcher

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// reachWords are the words of one language for what a run may contact.
type reachWords struct {
	title, off, anyHost, none, servers, andServers, comma, or, proxy, asks, only, publish string
}

var reachEnglish = reachWords{
	title: "network: ", off: "no network", anyHost: "any host", none: "none",
	servers: "local servers of this workspace", andServers: ", local servers of this workspace",
	comma: ", ", or: " or ", proxy: ", through the proxy %s, which may connect anywhere",
	asks: "; asks you about others", only: " only",
	publish: "; other machines may connect to port %d",
}

var reachChinese = reachWords{
	title: "网络：", off: "无网络", anyHost: "任何主机", none: "无",
	servers: "本工作区的服务器", andServers: "以及本工作区的服务器",
	comma: "、", or: "或", proxy: "，经由代理 %s（它可以连接任何主机）",
	asks: "；其他主机会询问", only: "；其他主机会被拒绝",
	publish: "；其他机器可以连接端口 %d",
}

// text is what a person is told, in one line.
func (r reached) text() string { return r.in(reachEnglish) }

// line is text for a plan and for the record; "" where there is no network.
func (r reached) line(locale pathguard.Locale) string {
	switch {
	case r.mode == sandbox.Off:
		return ""
	case locale == pathguard.Chinese:
		return r.in(reachChinese)
	}
	return r.text()
}

func (r reached) in(w reachWords) string {
	hosts, text := r.together().labelled(), w.title
	switch {
	case r.mode == sandbox.Off:
		return w.off
	case r.mode == sandbox.Full:
		return w.title + w.anyHost
	case len(hosts) == 0 && r.reach.Localhost:
		text += w.servers
	case len(hosts) == 0:
		text += w.none
	default:
		text += strings.Join(hosts, w.comma)
		if r.reach.Localhost {
			text += w.andServers
		}
	}
	if len(r.proxies) > 0 {
		text += fmt.Sprintf(w.proxy, strings.Join(r.proxies, w.or))
	}
	if r.asks {
		text += w.asks
	} else {
		text += w.only
	}
	for _, port := range r.reach.Publish {
		text += fmt.Sprintf(w.publish, port)
	}
	return text
}

// together is r with the hosts of a registry in one: those of one program and setting, without the
// port where it is the usual one of each, and only the first of many.
func (r reached) together() reached {
	var list []pathguard.Registry
	for i, g := range r.registries {
		with := func(o pathguard.Registry) bool { return !g.Asks && !o.Asks && alike(g, o) }
		if slices.ContainsFunc(r.registries[:i], with) {
			continue
		}
		var names []string
		n := 0
		for _, o := range r.registries[i:] {
			name := strings.TrimSuffix(strings.TrimSuffix(o.Host, ":443"), ":80")
			if !with(o) {
				continue
			}
			if n++; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		switch {
		case len(names) > 3:
			g.Host = fmt.Sprintf("%s and %d more", names[0], len(names)-1)
		case n > 1:
			g.Host = strings.Join(names, ", ")
		}
		list = append(list, g)
	}
	r.registries = list
	return r
}

// alike reports whether two hosts are of one program, by one setting.
func alike(a, b pathguard.Registry) bool { return a.Tool == b.Tool && a.From == b.From }

// others is what becomes of connections that nothing allows.
func (r reached) others() string {
	if r.asks && r.mode == sandbox.Hosts {
		return "asks"
	}
	return "refused"
}
