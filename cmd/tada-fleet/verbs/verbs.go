// Package verbs is the tree of the verbs of tadactl fleet. tadactl has it for help, manual pages
// and completion, and starts tada-fleet; that program has it to be called by.
package verbs

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// Options are the values of the options, by verb.
type Options struct {
	Init   Init
	Serve  Serve
	Invite Invite
	Join   Join
	Person Person
	Freeze Freeze
	Answer Answer
	Follow bool // of pending
	Ship   Ship
	Verify Verify
	Policy Policy
	Site   Site
}

// Site is a registrar, and where it and etcd are.
type Site struct {
	Hosts, Etcd []string
	Key         bool
}

// Init founds a fleet.
type Init struct {
	Name  string
	Hosts []string
}

// Serve runs the registrar.
type Serve struct {
	Etcd   []string
	Listen string
}

// Invite makes a link. Dir, Etcd and URL are for the first machine, which no member can invite.
type Invite struct {
	Labels, Owner string
	People        bool
	Life          time.Duration
	Dir           string
	Etcd          []string
	URL           string
}

// Join makes this machine a member.
type Join struct{ Name string }

// Person adds a person.
type Person struct {
	Answers string
	Admin   bool
}

// Freeze stops machines.
type Freeze struct {
	Label, Reason string
	Pause         bool
}

// Answer answers a question.
type Answer struct {
	Valid  time.Duration
	Signed bool
}

// Ship says where records are copied to.
type Ship struct {
	Endpoint, Bucket, Region string
	Recipients, Witnesses    []string
	Off                      bool
}

// Verify proves records from a bucket, or a copy of it. Document is for a machine that is in no
// fleet.
type Verify struct {
	Bucket, Endpoint, Region, Copy string
	Identities                     []string
	Document                       string
	Ask                            bool
}

// Policy rolls out a configuration.
type Policy struct {
	Label      string
	Despite    int
	Gate       string
	Identities []string
	Accept     []string
	NoGate     string
}

// Run does a verb; name is its words, such as "person add".
type Run func(name string, cmd *cobra.Command, args []string) error

// Port is where the registrar listens unless it is told otherwise.
const Port = "7443"

// All returns the verbs, whose options are stored in o and which run does. What they are for is in
// the table of tadactl.
func All(o *Options, run Run) []*cobra.Command {
	verb := func(use string, args cobra.PositionalArgs) *cobra.Command {
		return &cobra.Command{Use: use, Args: args,
			RunE: func(cmd *cobra.Command, words []string) error {
				_, name, _ := strings.Cut(cmd.CommandPath(), " ")
				return run(strings.TrimPrefix(name, "fleet "), cmd, words)
			}}
	}
	none, one := cobra.NoArgs, cobra.ExactArgs(1)

	first := verb("init DIR", one)
	first.Flags().StringVar(&o.Init.Name, "name", "", "")
	first.Flags().StringSliceVar(&o.Init.Hosts, "host", nil, "")

	serve := verb("serve DIR", one)
	serve.Flags().StringSliceVar(&o.Serve.Etcd, "etcd", nil, "")
	serve.Flags().StringVar(&o.Serve.Listen, "listen", ":"+Port, "")

	invite := verb("invite", none)
	invite.Flags().StringVar(&o.Invite.Labels, "labels", "", "")
	invite.Flags().StringVar(&o.Invite.Owner, "owner", "", "")
	invite.Flags().BoolVar(&o.Invite.People, "people", false, "")
	invite.Flags().DurationVar(&o.Invite.Life, "for", time.Hour, "")
	invite.Flags().StringVar(&o.Invite.Dir, "dir", "", "")
	invite.Flags().StringSliceVar(&o.Invite.Etcd, "etcd", nil, "")
	invite.Flags().StringVar(&o.Invite.URL, "url", "", "")

	join := verb("join URL", one)
	join.Flags().StringVar(&o.Join.Name, "name", "", "")

	answer := verb("answer ID", one)
	answer.Flags().DurationVar(&o.Answer.Valid, "valid", 10*time.Minute, "")
	answer.Flags().BoolVar(&o.Answer.Signed, "signed", false, "")
	pending := verb("pending", none)
	pending.Flags().BoolVar(&o.Follow, "follow", false, "")

	freeze := verb("freeze", none)
	freeze.Flags().StringVar(&o.Freeze.Label, "label", "*", "")
	freeze.Flags().BoolVar(&o.Freeze.Pause, "pause", false, "")
	freeze.Flags().StringVar(&o.Freeze.Reason, "reason", "", "")

	add := verb("add KEY", one)
	add.Flags().StringVar(&o.Person.Answers, "answers", "", "")
	add.Flags().BoolVar(&o.Person.Admin, "admin", false, "")
	person := &cobra.Command{Use: "person"}
	person.AddCommand(add, verb("remove NAME", one), verb("list", none), verb("sign FILE", one))

	push := verb("push NAME FILE", cobra.ExactArgs(2))
	push.Flags().StringVar(&o.Policy.Label, "label", "", "")
	force := verb("force NAME", one)
	force.Flags().IntVar(&o.Policy.Despite, "despite", 0, "")
	withdraw := verb("withdraw NAME", one)
	for _, cmd := range []*cobra.Command{force, withdraw} {
		cmd.Flags().StringVar(&o.Policy.NoGate, "no-gate", "", "")
	}
	for _, cmd := range []*cobra.Command{push, force, withdraw} {
		cmd.Flags().StringVar(&o.Policy.Gate, "gate", "", "")
		cmd.Flags().StringArrayVar(&o.Policy.Identities, "identity", nil, "")
		cmd.Flags().StringArrayVar(&o.Policy.Accept, "accept", nil, "")
	}
	policy := &cobra.Command{Use: "policy"}
	policy.AddCommand(push, force, withdraw, verb("list", none),
		verb("status NAME", one))

	ship := verb("ship", none)
	ship.Flags().StringVar(&o.Ship.Endpoint, "endpoint", "", "")
	ship.Flags().StringVar(&o.Ship.Bucket, "bucket", "", "")
	ship.Flags().StringVar(&o.Ship.Region, "region", "", "")
	ship.Flags().StringArrayVar(&o.Ship.Recipients, "recipient", nil, "")
	ship.Flags().StringArrayVar(&o.Ship.Witnesses, "witness", nil, "")
	ship.Flags().BoolVar(&o.Ship.Off, "off", false, "")

	verify := verb("verify [MACHINE...]", cobra.ArbitraryArgs)
	export := verb("export FILE [MACHINE...]", cobra.MinimumNArgs(1))
	for _, reads := range []*cobra.Command{verify, export} {
		reads.Flags().StringVar(&o.Verify.Bucket, "bucket", "", "")
		reads.Flags().StringVar(&o.Verify.Endpoint, "endpoint", "", "")
		reads.Flags().StringVar(&o.Verify.Region, "region", "", "")
		reads.Flags().StringVar(&o.Verify.Copy, "copy", "", "")
		reads.Flags().StringArrayVar(&o.Verify.Identities, "identity", nil, "")
		reads.Flags().StringVar(&o.Verify.Document, "document", "", "")
	}
	verify.Flags().BoolVar(&o.Verify.Ask, "ask", false, "")

	renew := verb("renew DIR", one)
	renew.Flags().StringSliceVar(&o.Site.Hosts, "host", nil, "")
	renew.Flags().BoolVar(&o.Site.Key, "key", false, "")
	move := verb("move URL", one)
	move.Flags().StringSliceVar(&o.Site.Etcd, "etcd", nil, "")
	registrar := &cobra.Command{Use: "registrar"}
	registrar.AddCommand(renew, verb("replace KEY", one), move)

	return []*cobra.Command{first, serve, invite, join, verb("agent", none),
		verb("status", none), verb("list", none), verb("show MACHINE", one),
		verb("revoke MACHINE", one), verb("leave", none),
		registrar, person, policy, pending, answer, freeze,
		verb("unfreeze [ID]", cobra.MaximumNArgs(1)), ship, verb("ship-key", none), verify,
		export, verb("repair", none), verb("rebuild", none)}
}
