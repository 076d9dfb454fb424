package code_test

import (
	"fmt"

	"github.com/tada-run/tada-run/shellparse/code"
)

func ExampleScan() {
	facts, opaque := code.Scan("python", `
import os, subprocess
for name in ["a.o", "b.o"]:
    os.remove("build/" + name)
subprocess.run(["git", "push"])
print("rm -rf /")  # only text
`)
	for _, f := range facts {
		fmt.Println(f.Right, f.Text, f.Argv)
	}
	fmt.Println("opaque:", opaque)
	// Output:
	// 4 build/a.o []
	// 4 build/b.o []
	// 5  [git push]
	// opaque: false
}
