package sandbox

import (
	"flag"
	"os"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// The test binary plays every part: called under one of these names it is not a test at all.
func TestMain(m *testing.M) {
	if part, ok := parts[os.Args[0]]; ok {
		part(os.Args[1:])
		os.Exit(0)
	}
	flag.Parse()
	if os.Geteuid() == 0 && flag.Lookup("test.run").Value.String() == "" &&
		flag.Lookup("test.list").Value.String() == "" {
		ordinaryUser()
	}
	os.Exit(hermetic.Tests(m).Run())
}

var parts map[string]func([]string)

func init() {
	parts = map[string]func([]string){
		"launcher":      func(args []string) { launcherMain(args) },
		"launcher-slow": slowMain,
		"subreaper":     subreaperMain,
		"kernel":        kernelMain,
		"fetch":         fetchMain,
		"ask":           askMain,
		"servers":       serversMain,
		"world":         worldMain,
		"source":        sourceMain,
		"measure":       measureMain,
		"listen":        listenMain,
		"listen-race":   listenRaceMain,
		"connect-racer": connectRacerMain,
		"held":          heldMain,
		"connects":      connectsMain,
		"stopped":       stoppedMain,
		"tries":         triesMain,
		"swapper":       swapperMain,
		"racer":         racerMain,
		"marker":        markerMain,
		"raced":         racedMain,
		"dies":          diesMain,
		"fuzzer":        fuzzerMain,
		"flood":         floodMain,
		"hog":           hogMain,
		"nested-reach":  nestedReachMain,
		"account":       accountMain,
		"below":         belowMain,
		"nested":        func([]string) { nestedMain() },
		"survivor":      func(args []string) { survivorMain(args) },
		"local":         localMain,
		"request":       requestMain,
		"opens":         opensMain,
		"once":          func([]string) { onceMain() },
	}
}
