package refusal

import (
	"fmt"

	"github.com/tada-run/tada-run/pathguard"
)

// phrases are what a refusal says, in English and in Chinese. Its status, code and retry are for
// programs, and the same in every language.
var phrases = map[string][2]string{
	"denied":         {"denied", "已拒绝"},
	"cancelled":      {"cancelled", "已取消"},
	"pending":        {"pending", "等待批准"},
	"by user":        {"denied by the user", "用户已拒绝"},
	"denied by user": {"denied by the user; use a different approach, do not try to get the same effect", "用户已拒绝；请换一种做法，不要设法达到同样的效果"},
	"instead":        {"; instead: %s", "；可改用: %s"},
	"needs": {"needs approval: tadactl approve %s; then run the same command again",
		"需要批准: tadactl approve %s；然后再次运行同一命令"},
	"needs call": {"needs approval: tadactl approve %s; then make the same call again",
		"需要批准: tadactl approve %s；然后再次进行同一调用"},
	"unfit":       {"; approval %s for this command does not match: %s", "；此命令的批准 %s 不相符: %s"},
	"withdrawn":   {"the question was withdrawn", "该问题已被撤回"},
	"left":        {"left without an answer (%s)", "未作回答 (%s)"},
	"nothing ran": {"%s; nothing ran", "%s；未运行任何命令"},
	"not open":    {"the question is no longer open", "该问题已不再开放"},
	"quarantined": {"this agent is in quarantine and cannot run commands", "此代理处于隔离状态，不能运行命令"},
	"no approver": {"needs approval, and --profile ci cannot ask", "需要批准，而 --profile ci 无法询问"},
	"cooling": {"this exact command is refused without asking for another %v",
		"在 %v 内，此命令将直接被拒绝，不再询问"},
	"stopped": {"skipped, because an earlier call was denied or could not run",
		"已跳过，因为先前的调用被拒绝或无法运行"},
	"changed": {"an earlier call changed what this one would do; send it again",
		"先前的调用改变了此调用的作用；请重新发送"},
	"changed since": {"an earlier call changed what was approved; send it again",
		"先前的调用改变了已批准的内容；请重新发送"},
	"swapped":  {"%s changed after it was checked, so nothing ran; run the same command again to have it checked as it is now", "%s 在检查之后发生了变化，因此未运行任何命令；请再次运行同一命令以重新检查"},
	"no shell": {"the sandbox cannot execute the shell %q (%v), so nothing ran; try: tadactl policy check, tadactl doctor", "沙箱无法执行 shell %q (%v)，因此未运行任何命令；请尝试: tadactl policy check, tadactl doctor"},
}

// Phrase is one of them in a language.
func Phrase(in pathguard.Locale, key string, args ...any) string {
	text := phrases[key][0]
	if in == pathguard.Chinese {
		text = phrases[key][1]
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}
