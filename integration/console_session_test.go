package integration

// enter opens the first page in the session of g.
func (b *browser) enter(g *page) {
	b.t.Helper()
	b.call("Network.setCookie", object{"name": g.cookie.Name, "value": g.cookie.Value,
		"url": g.base + g.path, "path": g.path, "httpOnly": true, "sameSite": "Strict",
		"secure": g.cookie.Secure}, nil)
	b.open(g.base + g.path)
}
