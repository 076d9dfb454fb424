package launcher

import (
	"fmt"
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
	servers: "servers of this workspace", andServers: ", servers of this workspace",
	comma: ", ", or: " or ", proxy: ", through the proxy %s, which may connect anywhere",
	asks: "; any other host asks again", only: " only",
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
	hosts, text := r.labelled(), w.title
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

// others is what becomes of connections that nothing allows.
func (r reached) others() string {
	if r.asks && r.mode == sandbox.Hosts {
		return "asks"
	}
	return "refused"
}
