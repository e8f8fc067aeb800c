package views_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"recoup/static"
	"recoup/views/text"
)

// TestGallery writes every page to the directory named by RECOUP_GALLERY, with the assets beside them, so that a
// static file server shows them as a person would see them.
func TestGallery(t *testing.T) {
	dir := os.Getenv("RECOUP_GALLERY")
	if dir == "" {
		t.Skip("RECOUP_GALLERY names no directory")
	}
	write := func(name string, body []byte) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, lang := range []text.Lang{text.English, text.Japanese} {
		for _, p := range rich(lang) {
			if !p.fragment {
				write(string(lang)+"/"+p.name+".html", []byte(render(t, p)))
			}
		}
	}
	for _, url := range append(append(static.Styles(), static.Scripts()...), static.URL("icon.svg")) {
		rec := httptest.NewRecorder()
		static.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, url, nil))
		write(url, rec.Body.Bytes())
	}
}

func render(t *testing.T, p page) string {
	t.Helper()
	var buf bytes.Buffer
	if err := p.view.Render(t.Context(), &buf); err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	return buf.String()
}
