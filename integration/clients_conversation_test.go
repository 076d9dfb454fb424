package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// conversationDoors are the ways in which every client makes its calls, one after the other, each
// set up from the one before it.
var conversationDoors = []struct {
	name    string
	install func(t *testing.T, b *bench, c client)
}{
	{"hook", func(t *testing.T, b *bench, c client) { b.ctl(t, "hook", "install", c.name) }},
	{"shell", func(t *testing.T, b *bench, c client) {
		if c.hooked() {
			b.ctl(t, "hook", "uninstall", c.name)
		}
		b.login(t, loginShell(c, "shell"))
		b.shell(t, c)
	}},
	{"both", func(t *testing.T, b *bench, c client) { b.ctl(t, "hook", "install", c.name) }},
}

// TestClientsConversation lets each client make the calls of the conversation with plain bash and
// with us: its model sees the same, except for what the file lists. make test-clients.
func TestClientsConversation(t *testing.T) {
	needClients(t)
	whole := readConversation(t)
	// on the bench, only the account's own home has programs
	t.Setenv("PATH", outsideHome(os.Getenv("PATH")))
	for _, c := range chosen() {
		t.Run(c.name, func(t *testing.T) {
			talk := whole
			if c.name == "continue-cli" { // refuses the word exec by itself, and then ends
				talk.calls = slices.DeleteFunc(slices.Clone(talk.calls), func(s spoken) bool {
					return strings.Contains(s.text, "exec ")
				})
			}
			if own := c.tool; c.name == "qwen" {
				// The client would read from its terminal; if a command has closed it before it
				// ends, the client sends SIGHUP.
				c.tool = func(text string) toolCall {
					return own("exec 9<&0 < /dev/null\n" + text).with(o{"timeout": 15_000})
				}
			}
			b := newBench(t, c, "/bin/bash")
			write(t, filepath.Join(b.home, ".tada/config.yaml"), "")
			b.model.env = append(b.model.env, conversationEnv...)
			// a login shell of bash forgets PATH, and the person's own file sets it again
			write(t, filepath.Join(b.home, ".profile"), "PATH='"+os.Getenv("PATH")+"'\n")
			bare := b.model.env
			plain, before := b.converse(t, c, talk, false)
			for _, door := range conversationDoors {
				if !c.has(door.name) {
					continue
				}
				door.install(t, b, c)
				got, after := b.converse(t, c, talk, true)
				rounds := []round{{plain, got}}
				for c.losesEnds && len(rounds) < 4 && talk.differs(c, door.name, rounds) {
					t.Logf("%s: round %d, as some results differ", door.name, len(rounds)+1)
					rounds = append(rounds, b.again(t, c, talk, bare, door.install))
				}
				for i, call := range talk.calls {
					wrong, why, shown := call.settle(c, door.name, i, rounds)
					if wrong != "" {
						t.Errorf("%s, call %d, %d rounds: %s: %s\n"+
							"with bash:\n%s\nwith tada-run:\n%s", door.name, i+1, len(rounds),
							wrong, call.text, shown.plain[i], shown.got[i])
					} else if why != "" {
						if os.Getenv("TEST_CLIENTS") == "witness" {
							t.Logf("with bash:\n%s\nwith tada-run:\n%s", shown.plain[i],
								shown.got[i])
						}
						t.Logf("| %s | %s | %s | %s |", c.name, door.name,
							strings.SplitN(call.text, "\n", 2)[0], why)
					}
				}
				t.Logf("%s, %s: a call takes %v with bash, %v with tada-run, and so %v more (medians of %d)", c.name, door.name,
					middle(before), middle(after), middle(pairs(before, after)), len(after))
			}
			b.ctl(t, "audit", "verify", "--complete")
		})
	}
}

// again is another round with plain bash and in a way of calling that is set up.
func (b *bench) again(t *testing.T, c client, talk conversation, bare []string,
	install func(*testing.T, *bench, client)) (r round) {
	t.Helper()
	b.ctl(t, "hook", "uninstall", c.name)
	b.model.env = slices.Clone(bare)
	r.plain, _ = b.converse(t, c, talk, false)
	b.shell(t, c)
	install(t, b, c)
	r.got, _ = b.converse(t, c, talk, true)
	return r
}

// converse makes the calls in a fresh repository. What asks is then done without us, as by the
// person who is asked.
func (b *bench) converse(t *testing.T, c client, talk conversation,
	judged bool) (results []string, took []time.Duration) {
	t.Helper()
	talk.begin(t, b.work)
	calls := []toolCall{c.tool("true")} // the first of a session may be made in another way
	for i, call := range talk.calls {
		next := c.tool(call.text)
		if judged && i > 0 && talk.calls[i-1].rule != "" {
			next.before = func() { talk.plain(t, b.work, talk.calls[i-1].text) }
		}
		calls = append(calls, next)
	}
	b.play(t, c, calls...)
	results = toolResults(t, b.model.conversation)
	if len(results) != len(calls) {
		t.Fatalf("%d results of %d calls", len(results), len(calls))
	}
	for i, r := range results {
		for _, sh := range []string{filepath.Join(b.bin, "bash"),
			filepath.Join(b.home, ".tada/bin/bash")} {
			r = strings.ReplaceAll(r, sh, "/bin/bash")
		}
		r = strings.ReplaceAll(r, "/usr/bin/bash", "/bin/bash") // the first in PATH
		r = strings.TrimSuffix(r, hookAdded[c.name])
		results[i] = varying().ReplaceAllString(r, "$1$2$3$4")
	}
	return results[1:], b.model.took[1:]
}

// varying matches what clients put around a result that is never the same twice, and the line that
// Cline repeats; what is in the group stays.
var varying = pattern(`"query":"(?:[^"\\]|\\.)*",|(Chunk ID: )\w+|(Wall time: )[0-9.]+|(Process Group PGID: )\d+|(Original token count: )\d+`)

// hookAdded is what a client itself adds to the result of a call that a hook has changed.
var hookAdded = map[string]string{"gemini": "\n\n[System] Tool input parameters were modified by a hook before execution."}

// toolResults returns the results of tools in a conversation, as text, for every family of models.
func toolResults(t *testing.T, conversation string) (list []string) {
	t.Helper()
	for d := json.NewDecoder(strings.NewReader(conversation)); d.More(); {
		var messages []any
		if err := d.Decode(&messages); err != nil {
			t.Fatal(err)
		}
		list = append(list, resultsIn(messages)...)
	}
	return list
}

func resultsIn(v any) (list []string) {
	switch v := v.(type) {
	case []any:
		for _, each := range v {
			list = append(list, resultsIn(each)...)
		}
	case o:
		switch {
		case v["type"] == "tool_result", v["role"] == "tool":
			return []string{textOf(v["content"])}
		case v["type"] == "function_call_output":
			return []string{textOf(v["output"])}
		case v["functionResponse"] != nil:
			return []string{textOf(v["functionResponse"].(o)["response"])}
		}
		return append(resultsIn(v["content"]), resultsIn(v["parts"])...)
	}
	return list
}

func textOf(v any) (text string) {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		for _, each := range v {
			text += textOf(each)
		}
	case o:
		if t, is := v["text"].(string); is {
			return t
		}
		if t, is := v["output"].(string); is {
			return t
		}
		return fmt.Sprint(v)
	}
	return text
}

func pairs(before, after []time.Duration) (more []time.Duration) {
	for i := range min(len(before), len(after)) {
		more = append(more, after[i]-before[i])
	}
	return more
}

func middle(list []time.Duration) time.Duration {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2].Round(time.Millisecond)
}

// outsideHome returns a PATH without the directories in the home of the account that runs the
// tests.
func outsideHome(list string) string {
	account, err := user.LookupId(strconv.Itoa(os.Getuid()))
	return strings.Join(slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool {
		return err != nil || strings.HasPrefix(dir+"/", account.HomeDir+"/")
	}), ":")
}
