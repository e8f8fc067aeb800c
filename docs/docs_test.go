// Package docs_test keeps the documents true where a program can: links lead somewhere, the tests they name
// exist, and the table of dependencies has every module that the code imports, in the version of go.mod.
package docs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const root = ".."

// documents are the texts at the top of the repository and in docs, by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			out[path] = read(t, path)
		}
	}
	if len(out) < 8 {
		t.Fatalf("found only %d documents", len(out))
	}
	return out
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// eachGoFile calls do for every Go file of the repository.
func eachGoFile(t *testing.T, do func(path string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".go"):
			do(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)`)
	for path, text := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

func TestNamedTestsExist(t *testing.T) {
	declared := map[string]bool{}
	declaration := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	eachGoFile(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range declaration.FindAllStringSubmatch(read(t, path), -1) {
				declared[m[1]] = true
			}
		}
	})
	named := 0
	mention := regexp.MustCompile(`\bTest[A-Z]\w+`)
	for path, text := range documents(t) {
		for _, name := range mention.FindAllString(text, -1) {
			named++
			if !declared[name] {
				t.Errorf("%s names %s, which no file declares", path, name)
			}
		}
	}
	if named == 0 {
		t.Error("no document names a test")
	}
}

func TestDependenciesAreListed(t *testing.T) {
	required := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(?:require)?\s+(\S+\.\S+/\S+|\S+\.\S+) (v\S+)`).FindAllStringSubmatch(read(t, filepath.Join(root, "go.mod")), -1) {
		required[m[1]] = m[2]
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| (\S+\.\S+/\S+) \| (v\S+) \|`).FindAllStringSubmatch(read(t, "dependencies.md"), -1) {
		listed[m[1]] = true
		if required[m[1]] != m[2] {
			t.Errorf("%s is listed as %s, go.mod says %q", m[1], m[2], required[m[1]])
		}
	}
	used := map[string]bool{}
	eachGoFile(t, func(path string) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			// The module is the longest required one that the import path begins with.
			module := ""
			for m := range required {
				if (imported == m || strings.HasPrefix(imported, m+"/")) && len(m) > len(module) {
					module = m
				}
			}
			if module != "" {
				used[module] = true
			}
		}
	})
	for m := range used {
		if !listed[m] {
			t.Errorf("%s is imported and has no row in dependencies.md", m)
		}
	}
	for m := range listed {
		if !used[m] {
			t.Errorf("%s has a row in dependencies.md and is not imported", m)
		}
	}
}
