package pathguard

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A Way is a rule of the configuration, as a file would have it.
type Way struct {
	Key   string // "rules.commands"
	Entry string // {program: git, args: [push, origin], verdict: allow}
}

// maxWays bounds how many rules are looked for together.
const maxWays = 5

// maxQuestions bounds how much a plan may ask for which rules are looked for: each is tried against
// each question.
const maxQuestions = 50

// Ways returns the narrowest rules that together would allow a plan which asks; nothing if rules
// cannot. Each was tried: the plan was judged with it.
func (p Policy) Ways(plan *resolve.Plan) (ways []Way) {
	for range maxWays {
		v := p.Judge(plan)
		if questions(v) > maxQuestions {
			return nil
		}
		switch v.Decision {
		case Allow:
			return ways
		case Deny:
			return nil
		}
		c, next, ok := p.step(plan, v)
		if !ok {
			return nil
		}
		ways, p = append(ways, c.way()), next
	}
	return nil
}

// step finds the rule that leaves the fewest questions, for the first one that there is a rule for;
// of two that leave as many, the one with more words.
func (p Policy) step(plan *resolve.Plan, v Verdict) (best candidate, next Policy, found bool) {
	for _, r := range v.Reasons {
		if r.Decision != Ask || r.File != "" {
			continue
		}
		least := questions(v)
		for _, c := range candidates(plan, v, r) {
			with, err := compile(p.account, c.added(p.set), nil)
			if err != nil {
				continue
			}
			if left := questions(with.Judge(plan)); left < least && c.isWritable() {
				least, best, next, found = left, c, with, true
			}
		}
		if found {
			return best, next, true
		}
	}
	return candidate{}, p, false
}

// questions is how much a verdict asks; a denial is worse than any number of them.
func questions(v Verdict) int {
	n := 0
	for _, r := range v.Reasons {
		switch r.Decision {
		case Ask:
			n += 1 + r.More
		case Deny:
			n += 1 << 16
		}
	}
	return n
}

// A candidate is a rule that might answer a question: one of the three.
type candidate struct {
	command *CommandRule
	path    *PathRule
	host    *HostRule
}

func (c candidate) added(s Settings) Settings {
	switch {
	case c.command != nil:
		s.Commands = append(slices.Clip(s.Commands), *c.command)
	case c.path != nil:
		s.Paths = append(slices.Clip(s.Paths), *c.path)
	case c.host != nil:
		s.Hosts = append(slices.Clip(s.Hosts), *c.host)
	}
	return s
}

// isWritable reports whether a configuration can have the rule: it has no empty words.
func (c candidate) isWritable() bool {
	_, err := Insert(nil, c.way())
	return err == nil
}

// asking is the rule with a question in place of what it says.
func (c candidate) asking() candidate {
	switch {
	case c.command != nil:
		r := *c.command
		r.Verdict, r.Answers = Ask, nil
		return candidate{command: &r}
	case c.path != nil:
		r := *c.path
		r.Verdict = Ask
		return candidate{path: &r}
	}
	r := *c.host
	r.Verdict = Ask
	return candidate{host: &r}
}

// way is the rule as a file has it.
func (c candidate) way() Way {
	key, verdict := "", Allow
	var fields []string
	add := func(name string, words ...string) {
		for i := range words {
			words[i] = yamlWord(words[i])
		}
		switch text := strings.Join(words, ", "); {
		case len(words) == 0:
		case name == "program" || name == "path" || name == "host":
			fields = append(fields, name+": "+text)
		default:
			fields = append(fields, name+": ["+text+"]")
		}
	}
	switch {
	case c.command != nil:
		key, verdict = "rules.commands", c.command.Verdict
		add("program", c.command.Program)
		add("args", slices.Clone(c.command.Args)...)
		if c.command.Exact {
			fields = append(fields, "exact: true")
		}
		add("options", slices.Clone(c.command.Options)...)
		add("flags", slices.Clone(c.command.Flags)...)
	case c.path != nil:
		key, verdict = "rules.paths", c.path.Verdict
		add("path", c.path.Path)
		add("access", accessWords(c.path.Rights)...)
	case c.host != nil:
		key, verdict = "rules.hosts", c.host.Verdict
		add("host", c.host.Host)
	}
	fields = append(fields, "verdict: "+verdict.String())
	if c.command != nil {
		add("answers", slices.Clone(c.command.Answers)...)
	}
	return Way{key, "{" + strings.Join(fields, ", ") + "}"}
}

// yamlWord is a word as YAML reads it inside brackets.
func yamlWord(w string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./~-"
	if w == "" || w[0] == '-' || strings.Trim(w, plain) != "" ||
		strings.Contains(" true false null yes no ~ ", " "+strings.ToLower(w)+" ") ||
		strings.ContainsRune("0123456789.", rune(w[0])) && !isText(w) {
		return fmt.Sprintf("%q", w)
	}
	return w
}

// isText reports whether YAML reads a word as text, and not as a number or a date.
func isText(w string) bool {
	var doc yaml.Node
	return yaml.Unmarshal([]byte(w), &doc) == nil && len(doc.Content) == 1 &&
		doc.Content[0].ShortTag() == "!!str"
}

// candidates are the rules that might answer a question, the narrowest first.
func candidates(plan *resolve.Plan, v Verdict, r Reason) (list []candidate) {
	if right, ok := rightOf(plan, r); ok {
		list = append(list, candidate{path: &PathRule{Path: r.Path, Rights: []command.Right{right},
			Verdict: Allow}})
	}
	s := plan.Script
	if r.Command < 0 || r.Command >= len(s.Commands) {
		return list
	}
	c := &s.Commands[r.Command]
	if c.Name == "" || !allStatic(c.Args) {
		return list
	}
	all, some := commandRules(c, asks(v, r.Command))
	list = append(list, all...)
	for i := range s.Effects {
		if e := &s.Effects[i]; e.Right == command.Net && e.Net != nil && e.Net.Static &&
			e.Command == r.Command && strings.HasPrefix(r.Rule, "net.") {
			list = append(list, candidate{host: &HostRule{Host: e.Net.Host, Verdict: Allow}})
		}
	}
	return append(list, some...)
}

// asks are the rules that ask about a command.
func asks(v Verdict, cmd int) (rules []string) {
	for _, r := range v.Reasons {
		if r.Decision == Ask && r.Command == cmd && !slices.Contains(rules, r.Rule) {
			rules = append(rules, r.Rule)
		}
	}
	slices.Sort(rules)
	return rules
}

// commandRules are rules for a command that answer these questions: for exactly these words, then
// with all that are no options, and with the first one or two. A rule must name an option to allow
// what cannot be undone.
func commandRules(c *shellparse.Command, answers []string) (all, some []candidate) {
	plain, options, _ := operands(c)
	add := func(list *[]candidate, rule CommandRule) {
		*list = append(*list, candidate{command: &rule})
		for _, o := range options {
			name, _, _ := strings.Cut(o, "=")
			flagged := rule
			flagged.Flags = []string{name}
			*list = append(*list, candidate{command: &flagged})
		}
	}
	if !slices.Contains(plain, "*") {
		add(&all, exactRule(c, answers))
	}
	for n := len(plain); n >= 0; n-- {
		list := &some
		if n == len(plain) {
			list = &all
		} else if n > 2 {
			continue
		}
		add(list, CommandRule{Program: path.Base(c.Name), Args: plain[:n:n], Verdict: Allow,
			Answers: answers})
	}
	return all, some
}

// exactRule is the rule for the words of a command, with no other option. Its words must not
// contain an asterisk alone, which would stand for any.
func exactRule(c *shellparse.Command, answers []string) CommandRule {
	plain, options, _ := operands(c)
	slices.Sort(options)
	return CommandRule{Program: c.Name, Args: plain, Exact: true, Options: slices.Compact(options),
		Verdict: Allow, Answers: answers}
}

// rightOf is what a plan does to the path of a reason.
func rightOf(plan *resolve.Plan, r Reason) (command.Right, bool) {
	i := slices.IndexFunc(plan.Targets, func(t resolve.Target) bool {
		return r.Path != "" && t.Path() == r.Path && t.Command == r.Command
	})
	if i < 0 {
		return 0, false
	}
	if plan.Targets[i].Right == command.Create {
		return command.Write, true
	}
	return plan.Targets[i].Right, true
}
