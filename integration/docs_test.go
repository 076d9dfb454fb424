package integration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A pageBlock is a literal part of a page.
type pageBlock struct {
	language string // "console", "yaml", ...
	reason   string // of an example: why it is not run
	text     string
}

// pages are the files of docs/, by their names.
func pages(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../docs/*.md")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d pages: %v", len(files), err)
	}
	all := map[string]string{}
	for _, file := range files {
		all[filepath.Base(file)] = read(t, file)
	}
	return all
}

// blocksOf returns the literal parts of a page.
func blocksOf(t *testing.T, page string) (list []pageBlock) {
	t.Helper()
	parts := strings.Split("\n"+page, "\n```")
	if len(parts)%2 == 0 {
		t.Fatal("a block has no end")
	}
	for i := 1; i < len(parts); i += 2 {
		head, text, _ := strings.Cut(parts[i], "\n")
		language, reason, _ := strings.Cut(head, " example: ")
		list = append(list, pageBlock{language, reason, text + "\n"})
	}
	return list
}

// TestDocsBlocks: each literal part of a page is run, read by its parser, or says why it is not. A
// page is short, and has no other way to show a command: lines that are indented are not tested.
func TestDocsBlocks(t *testing.T) {
	for name, page := range pages(t) {
		if n := strings.Count(page, "\n"); n > 180 {
			t.Errorf("%s has %d lines; make two pages of it", name, n)
		}
		if strings.Contains(page, "\n\n    ") {
			t.Errorf("%s has an indented block", name)
		}
		for _, b := range blocksOf(t, page) {
			typed := strings.HasPrefix(b.text, "$ ")
			switch b.language {
			case "console":
				if !typed {
					t.Errorf("%s: nothing is typed in %q", name, b.text)
				}
			case "sh":
				if b.reason == "" || typed {
					t.Errorf("%s: %q is not run; say why: ```sh example: REASON", name, b.text)
				}
			case "json":
				if !json.Valid([]byte(b.text)) {
					t.Errorf("%s: no JSON: %s", name, b.text)
				}
			case "yaml", "text": // see TestDocsConfigurations
			case "python": // see TestDocsVerifier
				if name != "record.md" {
					t.Errorf("%s: a program that is not run", name)
				}
			default:
				t.Errorf("%s: a block in %q", name, b.language)
			}
		}
	}
}

// TestDocsLinks: every link leads somewhere, also to a heading, and every page can be reached from
// docs/start.md, and that from README.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	linked := map[string][]string{}
	for name, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, heading, _ := strings.Cut(m[1], "#")
			text, err := os.ReadFile(filepath.Join("../docs", file))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if heading != "" && !slices.Contains(headings(string(text)), heading) {
				t.Errorf("%s: %s has no heading %q", name, file, heading)
			}
			linked[name] = append(linked[name], file)
		}
	}
	for name := range pages(t) {
		if name != "start.md" && !slices.Contains(linked["start.md"], name) {
			t.Errorf("start.md does not list %s", name)
		}
	}
	if !strings.Contains(read(t, "../README.md"), "](docs/start.md)") {
		t.Error("README does not lead to docs/start.md")
	}
}

// headings are the names by which a page's headings are linked.
func headings(page string) (list []string) {
	odd := regexp.MustCompile(`[^a-z0-9 _-]`)
	for line := range strings.Lines(page) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			title = odd.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			list = append(list, strings.ReplaceAll(title, " ", "-"))
		}
	}
	return list
}
