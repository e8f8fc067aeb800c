package text

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// catalogueFiles are the files that hold a function from a key to its phrase in both languages.
func catalogueFiles() []string {
	all, err := filepath.Glob("*.go")
	if err != nil {
		panic(err) // the pattern is fixed
	}
	var files []string
	for _, name := range all {
		source, err := os.ReadFile(name)
		if err == nil && name != "locale.go" && !strings.HasSuffix(name, "_test.go") && strings.Contains(string(source), "(key string) (en, ja string)") {
			files = append(files, name)
		}
	}
	return files
}

// catalogue reads the keys out of the source of the catalogue files, in their order.
func catalogue(t *testing.T) []string {
	t.Helper()
	var keys []string
	for _, name := range catalogueFiles() {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			clause, ok := n.(*ast.CaseClause)
			if !ok {
				return true
			}
			for _, e := range clause.List {
				if key, err := strconv.Unquote(e.(*ast.BasicLit).Value); err == nil {
					keys = append(keys, key)
				}
			}
			return true
		})
	}
	if len(keys) < 300 {
		t.Fatalf("only %d keys found", len(keys))
	}
	return keys
}

func placeholders(s string) []string {
	found := regexp.MustCompile(`\{\d\}`).FindAllString(s, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

func TestEveryPhraseIsWholeInBothLanguages(t *testing.T) {
	keys := catalogue(t)
	seen := map[string]bool{}
	for _, key := range keys {
		if seen[key] {
			t.Errorf("%s stands in two files", key)
		}
		seen[key] = true
		en, ja := phrase(key)
		if strings.TrimSpace(en) == "" || strings.TrimSpace(ja) == "" {
			t.Errorf("%s is empty in a language", key)
		}
		// The one form of a count may be a word, "once".
		if !strings.HasSuffix(key, ".one") && !slices.Equal(placeholders(en), placeholders(ja)) {
			t.Errorf("%s has other placeholders in Japanese: %q, %q", key, en, ja)
		}
		if strings.Contains(en, "-{") || strings.Contains(ja, "-{") {
			t.Errorf("%s puts a hyphen before a value, which reads as a minus", key)
		}
		if one, counted := strings.CutSuffix(key, ".one"); counted {
			if other, _ := phrase(one + ".other"); other == "" {
				t.Errorf("%s has no .other", key)
			}
		}
	}
}

// Keys are literals at their use. Families that end in a kind or a state are read through Maybe with the
// value behind them, so each whole family counts as used.
func TestEveryKeyUsedExistsAndEveryKeyIsUsed(t *testing.T) {
	var (
		literal = regexp.MustCompile(`\.(?:T|Maybe)\("([a-z0-9_.]+)"[,)]`)
		counted = regexp.MustCompile(`\.N\("([a-z0-9_.]+)",`)
		quoted  = regexp.MustCompile(`"([a-z0-9_]+\.[a-z0-9_.]+)"`)
		family  = regexp.MustCompile(`(?:Maybe|T)\("([a-z0-9_]+\.)"\s?\+`)
		errors  = "error."
	)
	used, mentioned, families := map[string]string{}, map[string]bool{}, map[string]bool{errors: true}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		name := d.Name()
		if strings.HasSuffix(name, "_templ.go") || strings.HasSuffix(name, "_test.go") || !(strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".templ")) {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if name != "locale.go" {
			for _, m := range literal.FindAllStringSubmatch(string(source), -1) {
				used[m[1]] = path
			}
			for _, m := range counted.FindAllStringSubmatch(string(source), -1) {
				used[m[1]+".one"], used[m[1]+".other"] = path, path
			}
			if !slices.Contains(catalogueFiles(), name) {
				// A key may also stand in a table and reach T by a variable.
				for _, m := range quoted.FindAllStringSubmatch(string(source), -1) {
					mentioned[m[1]] = true
				}
			}
			for _, m := range family.FindAllStringSubmatch(string(source), -1) {
				families[m[1]] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	keys := catalogue(t)
	for key, path := range used {
		// Other packages have methods called T or N too; a key of ours has a dot and a file of views or handlers.
		if en, _ := phrase(key); en == "" && strings.Contains(key, ".") {
			t.Errorf("%s uses %q, which no catalogue file has", path, key)
		}
	}
	for _, key := range keys {
		prefix, _, _ := strings.Cut(key, ".")
		if used[key] == "" && !mentioned[key] && !families[prefix+"."] {
			t.Errorf("%q is used nowhere", key)
		}
	}
}
