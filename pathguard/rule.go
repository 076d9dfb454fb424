package pathguard

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"
)

// A ruleText is what the product says when a built-in rule speaks. {path} is where the name
// really points, {detail} what else the rule speaks of.
type ruleText struct {
	id        string // stable: "write.outside"
	kind      ErrorType
	risk      int
	en, zh    string
	instead   string // what would be allowed, in English; "" when nothing would
	insteadZh string
}

// ruleTexts are all of them. The ids are part of what outsiders rely on: they stand in records,
// in hook answers and in tests of others.
var ruleTexts = [...]ruleText{
	{"policy.missing", DangerousCommand, 3, "no policy is loaded", "没有加载策略", "", ""},

	{"text.empty", DangerousCommand, 0, "there is nothing to run", "没有可执行的命令", "", ""},
	{"text.unparsable", DangerousShell, 2,
		"cannot be read as a shell command: {detail}", "无法解析为 shell 命令: {detail}",
		"use a command that bash -n accepts", "能通过 bash -n 的命令"},
	{"text.mark", DangerousShell, 2,
		"a character that a reader would miss: {detail}", "含有难以察觉的字符: {detail}",
		"write the command in plain characters", "改用普通字符"},
	{"shell.disabled", ShellDisabled, 1,
		"⚠️  shell commands are disabled (allow_shell=false)", "⚠️  Shell 命令已禁用（allow_shell=false）",
		"run one command of literal words: no pipe, list, variable, pattern or redirection",
		"一条由字面单词组成的简单命令"},
	{"level.always", DangerousCommand, 0,
		"every command needs approval (command_level=always)", "所有命令都需要确认（command_level=always）",
		"", ""},
	{"level.never", DangerousCommand, 0,
		"needs approval, and the policy never asks (command_level=never)",
		"需要确认的操作一律拒绝（command_level=never）",
		"", ""},
	{"intent.confirm", DangerousCommand, 1,
		"the caller requested approval: {detail}", "调用方要求确认: {detail}",
		"", ""},

	{"tool.unknown", DangerousCommand, 1,
		"{detail} is a tool that tada-run does not know; it runs outside the sandbox",
		"tada-run 不认识工具 {detail}；它在沙箱之外运行",
		"use a tool that reads or edits files, or the shell", "读写文件的工具，或 shell"},
	{"tool.uncontained", DangerousCommand, 2,
		"{detail} runs a command outside the sandbox, where it is neither held nor undone",
		"{detail} 在沙箱之外运行命令，既不受约束也无法撤销",
		"run the command with the shell tool", "用 shell 工具运行该命令"},

	{"path.restricted", RestrictedPath, 3, "🚫 access denied: {path} is restricted",
		"🚫 拒绝访问: {path} 受系统保护", "", ""},
	{"path.readonly", ReadOnlyPath, 2,
		"⚠️  read-only: {path} must not be written", "⚠️  只读保护: {path} 不允许写入",
		"read it only", "读取该路径"},
	{"path.state", RestrictedPath, 3,
		"🚫 access denied: {path} belongs to tada-run itself", "🚫 拒绝访问: {path} 属于 tada-run 自身",
		"", ""},
	{"path.unresolved", DangerousCommand, 1,
		"cannot tell where {path} points: {detail}", "无法确定 {path} 指向何处: {detail}",
		"write the name out", "写出完整路径"},
	{"path.many", DangerousCommand, 1,
		"the pattern {path} matches {detail} names, too many to show",
		"模式 {path} 匹配了 {detail} 个文件，无法全部列出",
		"use a narrower pattern", "更具体的模式"},
	{"path.uncounted", DangerousCommand, 1,
		"concerns {detail} files or more, too many to show", "此处涉及 {detail} 个或更多文件，无法全部列出",
		"name fewer files, or put them in their own directory", "减少文件数量，或使用单独的目录"},
	{"path.sweep", RestrictedPath, 2,
		"reads everything below {path}, including {detail}", "将读取 {path} 下的所有内容，其中包括 {detail}",
		"name the directories that you need", "只列出需要的目录"},
	{"path.reach", RestrictedPath, 2,
		"changes names below {path}, including {detail}", "将更改 {path} 下的文件，其中包括 {detail}",
		"name the directories that you need", "只列出需要的目录"},
	{"read.secret", RestrictedPath, 2,
		"reads a secret: {path}", "读取机密文件: {path}",
		"read its public counterpart if there is one: /etc/passwd, id_rsa.pub, .env.example",
		"对应的公开文件（如果有）：/etc/passwd、id_rsa.pub、.env.example"},
	{"read.decoded", RestrictedPath, 2,
		"reads a file whose name was encoded: {detail}", "读取名称经过编码的文件: {detail}",
		"write the name out", "写出完整路径"},
	{"read.process", RestrictedPath, 2,
		"inspects another process: {path}", "查看其他进程: {path}",
		"use ps or pgrep", "ps 或 pgrep"},
	{"read.device", DangerousCommand, 3,
		"reads the device {path} directly, bypassing its file system", "绕过文件系统读取设备 {path}", "", ""},
	{"write.outside", DangerousCommand, 2,
		"writes outside the workspace: {path}", "写入工作区之外: {path}",
		"write to the workspace or /tmp", "工作区或 /tmp 中的文件"},
	{"write.linked", DangerousCommand, 2,
		"changes {path} and its hard links outside the workspace ({detail})",
		"同时更改 {path} 在工作区之外的 {detail} 个硬链接",
		"replace the file: cp it, change the copy, mv it back", "先复制，修改副本，再用 mv 替换"},
	{"code.linked", DangerousCommand, 2,
		"runs code that could change files with hard links outside the workspace ({detail}): {path}", "运行的代码可能更改在工作区之外有硬链接的文件 ({detail}): {path}",
		"replace each by a copy: cp FILE NEW && mv NEW FILE", "用副本替换: cp FILE NEW && mv NEW FILE"},
	{"write.cache", DangerousShell, 2,
		"changes code that tools run in every project: {path}", "修改各项目共用的工具缓存中的代码: {path}",
		"use the tool's own command, such as npm cache clean or go clean",
		"工具自身的命令，例如 npm cache clean 或 go clean"},
	{"write.home", DangerousCommand, 2,
		"writes in the home directory: {path}", "写入主目录: {path}",
		"write to the workspace or /tmp", "工作区或 /tmp 中的文件"},
	{"write.system", DangerousShell, 3,
		"⚠️  dangerous: writes to a system path: {path}", "⚠️  危险操作: 尝试写入 {path} 需要授权",
		"write to the workspace or /tmp", "工作区或 /tmp 中的文件"},
	{"write.protected", DangerousShell, 2,
		"changes what runs later: {path}", "修改以后会自动执行的文件: {path}",
		"write a file that no tool runs or follows automatically", "不会被工具自动执行或遵循的文件"},
	{"write.startup", DangerousShell, 3,
		"changes what runs at login or in every shell: {path}", "修改登录或 shell 启动时执行的文件: {path}",
		"", ""},
	{"write.device", DangerousCommand, 3, "writes to the device {path}", "写入设备 {path}", "", ""},
	{"write.kernel", DangerousCommand, 3,
		"changes the running kernel or another process: {path}", "修改运行中的内核或其他进程: {path}",
		"", ""},
	{"write.root", DangerousCommand, 3,
		"⚠️  dangerous command: changes all of {path}", "⚠️  危险命令: 可能更改整个 {path}",
		"", ""},
	{"delete.tree", DangerousCommand, 1,
		"deletes everything below {path}", "删除 {path} 下的所有内容",
		"delete files by name, or add the build directory to .gitignore",
		"按名称删除文件，或删除 .gitignore 列出的构建目录"},
	{"delete.pattern", DangerousCommand, 1,
		"deletes everything that a wildcard matches (now {detail}): {path}",
		"按模式删除，目前匹配 {detail} 个文件: {path}",
		"delete files by name", "按名称删除文件"},
	{"delete.outside", DangerousCommand, 2,
		"deletes outside the workspace: {path}", "删除工作区之外的文件: {path}",
		"delete only in the workspace or /tmp", "删除工作区或 /tmp 中的文件"},
	{"delete.protected", DangerousCommand, 3, "deletes what cannot be recreated: {path}",
		"删除无法重建的内容: {path}", "", ""},
	{"delete.root", DangerousCommand, 3,
		"⚠️  dangerous command: may delete system files: {path}", "⚠️  危险命令: {detail} 可能删除系统文件",
		"", ""},
	{"delete.home", DangerousCommand, 3,
		"⚠️  dangerous command: deletes the home directory {path}", "⚠️  危险命令: 删除主目录 {path}",
		"", ""},
	{"delete.unknown", DangerousCommand, 2,
		"deletes an unknown file: {detail}", "删除无法确定的文件: {detail}",
		"write the name out", "写出完整路径"},
	{"exec.stray", DangerousCommand, 2,
		"runs a program from an untrusted directory: {path}", "运行来路不明的程序: {path}",
		"run a program of the workspace or of the system", "工作区或系统中的程序"},
	{"session.agent", DangerousCommand, 1,
		"starts {detail} in a session, with its own login or key; a yes also counts for its later sessions in this workspace (tadactl grants)",
		"在会话中启动 {detail}，并提供其自己的登录或密钥；批准后在此工作区中的后续会话也有效（tadactl grants）", "", ""},
	{"exec.path", DangerousCommand, 2,
		"searches {path} for programs first, where any file could replace one",
		"优先在 {path} 中查找程序，其中任何文件都可能冒充程序",
		"use a directory for programs, such as node_modules/.bin", "专用的程序目录，如 node_modules/.bin"},
	{"exec.shadow", DangerousCommand, 2,
		"runs {path} of the workspace in place of {detail}", "工作区中的 {path} 取代了 {detail}",
		"call the program by its full path", "使用完整路径"},

	{"code.unread", DangerousShell, 2,
		"executes a file that bash may read differently: {detail}", "执行一个 bash 可能有不同解读的文件：{detail}",
		"remove these characters from the file", "去掉这些字符的文件"},
	{"code.unknown", DangerousShell, 2,
		"runs {detail} code that cannot be read", "执行无法读取的 {detail} 代码",
		"write the code out, or put it in a file in the workspace", "写出代码，或放入工作区文件"},
	{"code.network", DangerousShell, 3,
		"runs {detail} code that was just downloaded", "执行刚下载的 {detail} 代码",
		"download to a file in the workspace, read it, and run it in a separate command",
		"先下载到工作区文件，阅读后再单独执行"},
	{"code.decoded", DangerousShell, 3,
		"runs {detail} code that was encoded", "执行经过编码的 {detail} 代码",
		"write the code out", "写出代码"},
	{"code.talks", DangerousShell, 2,
		"runs {detail} code that cannot be fully understood and connects to other machines",
		"执行会访问网络且无法完全读懂的 {detail} 代码",
		"use curl for the network and the code for the rest", "用 curl 访问网络，代码只做其余部分"},
	{"code.opaque", DangerousShell, 2,
		"runs {detail} code that cannot be fully understood", "执行的 {detail} 代码可能做出无法读出的操作",
		"write names and calls out, or put the code in a file in the workspace",
		"写出名称和调用，或放入工作区文件"},
	{"code.stream", DangerousShell, 2,
		"runs the content of {path}, which cannot be inspected", "执行来自 {path} 的内容，此处无法查看",
		"put the code in a file", "将代码放入文件"},
	{"code.stdin", DangerousShell, 2,
		"runs {detail} code from standard input, which cannot be inspected",
		"执行来自标准输入的 {detail} 代码",
		"pass the code as an argument or in a file", "以参数或文件形式提供代码"},

	{"net.upload", DangerousCommand, 2,
		"sends data from this machine to {detail}", "将本机数据发送到 {detail}",
		"keep the data on this machine, and let the user send it", "数据保留在本机，由用户发送"},
	{"net.dynamic", DangerousCommand, 2,
		"connects to an unknown host: {detail}", "连接无法确定的主机: {detail}",
		"write the host name out", "写出主机名"},
	{"net.list", DangerousCommand, 1,
		"connects to {detail}, which is not in network.allow", "连接 {detail}，不在 network.allow 中",
		"", ""},
	{"net.listen", DangerousCommand, 2,
		"opens a port to other machines: {detail}", "向其他机器开放端口: {detail}",
		"listen on 127.0.0.1", "只监听 127.0.0.1"},

	{"opaque.text", DangerousShell, 2, "cannot be inspected: {detail}", "无法检查: {detail}", "", ""},
	{"opaque.program", DangerousShell, 2,
		"cannot tell which program runs: {detail}", "无法确定运行哪个程序: {detail}",
		"write the program name out", "写出程序名"},
	{"opaque.code", DangerousShell, 2,
		"cannot tell what code runs: {detail}", "无法确定执行什么代码: {detail}",
		"write the code out", "写出代码"},
	{"opaque.delete", DangerousCommand, 2,
		"cannot tell what is deleted: {detail}", "无法确定删除什么: {detail}",
		"write the name out", "写出完整路径"},
	{"opaque.host", DangerousCommand, 2,
		"cannot tell which host is contacted or what is sent: {detail}", "无法确定连接哪里或发送什么: {detail}",
		"write the host name out", "写出主机名"},
	{"opaque.option", DangerousCommand, 1, "cannot tell the options: {detail}", "无法确定选项: {detail}",
		"", ""},

	{"tada.kill", DangerousCommand, 3, "ends tada-run itself: {detail}", "终止 tada-run 自身: {detail}",
		"", ""},
	{"tada.person", DangerousCommand, 3, "only the user may run {detail}, not an agent",
		"{detail} 只能由用户本人执行", "", ""},
	{"rule.command", DangerousCommand, 1, "matches a rule in the configuration", "配置中的规则", "", ""},
	{"rule.path", RestrictedPath, 1, "matches a rule in the configuration: {path}",
		"配置中的规则: {path}", "", ""},
	{"rule.host", DangerousCommand, 1, "matches a rule in the configuration: {detail}",
		"配置中的规则: {detail}", "", ""},
}

// ruleTextOf finds the text of a rule. A list is searched faster than a map of it is made,
// and every command makes it anew.
func ruleTextOf(rule string) (ruleText, bool) {
	for i := range ruleTexts {
		if ruleTexts[i].id == rule {
			return ruleTexts[i], true
		}
	}
	return ruleText{}, false
}

// hazardsZh has what the hazards of shellparse mean.
//
//go:embed table/hazards_zh.txt
var hazardsZh string

// hazardZh is the Chinese message of a hazard, "" when the rule is none.
func hazardZh(rule, english string) string {
	_, rest, found := strings.Cut(hazardsZh, "\n"+rule+": ")
	if !found {
		return ""
	}
	text, _, _ := strings.Cut(rest, "\n")
	if _, named, more := strings.Cut(english, ": "); more {
		text += ": " + named
	}
	return text
}

// In returns the message of a reason in a language. What the configuration says is said as it
// stands there.
func (r Reason) In(l Locale) string {
	text := r.in(l)
	switch {
	case r.More > 0 && l == Chinese:
		text += fmt.Sprintf("（另有 %d 个）", r.More)
	case r.More > 0:
		text += fmt.Sprintf(" (and %d more)", r.More)
	}
	switch {
	case r.File == "":
		return text
	case r.source == "":
		return r.File + ": " + text
	}
	return r.File + ": " + r.source + ": " + text
}

func (r Reason) in(l Locale) string {
	text, ok := ruleTextOf(r.Rule)
	switch {
	case r.plain != "" && l == Chinese:
		return "⚠️  危险命令: " + cmp.Or(hazardZh(r.Rule, r.plain), r.plain)
	case r.plain != "":
		return r.plain
	case !ok:
		return r.Message
	case l == Chinese:
		return r.fill(text.zh)
	}
	return r.fill(text.en)
}

// InsteadIn returns what would be allowed instead, in a language.
func (r Reason) InsteadIn(l Locale) string {
	if text, ok := ruleTextOf(r.Rule); ok && l == Chinese && r.Instead != "" {
		return text.insteadZh
	}
	return r.Instead
}

// fill puts the path and the detail into a text, once each: what they hold is not looked at.
func (r Reason) fill(text string) string {
	before, rest, more := strings.Cut(text, "{")
	if !more {
		return text
	}
	value := r.detail
	if rest, more = strings.CutPrefix(rest, "path}"); more {
		value = r.Path
	} else {
		rest = strings.TrimPrefix(rest, "detail}")
	}
	return before + value + r.fill(rest)
}

func noPolicy() string {
	text, _ := ruleTextOf("policy.missing")
	return text.en
}

// An ErrorType is the stable name of a kind of refusal.
type ErrorType string

// The kinds of refusals.
const (
	DangerousCommand ErrorType = "dangerous_command"
	RestrictedPath   ErrorType = "restricted_path"
	ReadOnlyPath     ErrorType = "readonly_path"
	DangerousShell   ErrorType = "dangerous_shell"
	ShellDisabled    ErrorType = "shell_disabled"
)
