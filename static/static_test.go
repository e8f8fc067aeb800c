package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, method, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, res *http.Response) []byte {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestURLCarriesTheDigestOfTheContent(t *testing.T) {
	want, err := os.ReadFile("console.css")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(want)
	url := "/static/console." + hex.EncodeToString(sum[:4]) + ".css"
	if got := URL("console.css"); got != url {
		t.Fatalf("URL = %q, want %q", got, url)
	}
	res := get(t, http.MethodGet, url)
	if !bytes.Equal(body(t, res), want) {
		t.Error("content differs from the file")
	}
	if got := res.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
		t.Errorf("Cache-Control = %q", got)
	}
	if got := res.Header.Get("Content-Type"); got != "text/css; charset=utf-8" {
		t.Errorf("Content-Type = %q", got)
	}
}

func TestAnotherFingerprintIsServedButNotKept(t *testing.T) {
	res := get(t, http.MethodGet, "/static/console.00000000.css")
	if res.StatusCode != http.StatusOK || res.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("status %d, Cache-Control %q", res.StatusCode, res.Header.Get("Cache-Control"))
	}
}

func TestWhatIsNotAnAssetIsNotFound(t *testing.T) {
	for _, path := range []string{"/static/", "/static/console.css", "/static/static.go", "/static/VENDORED.md", "/static/../go.mod", "/static/none.00000000.css", "/static/console.zzzzzzzz.css"} {
		if res := get(t, http.MethodGet, path); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, res.StatusCode)
		}
	}
	if res := get(t, http.MethodPost, URL("console.css")); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", res.StatusCode)
	}
}

func TestGzipHeadAndRevalidation(t *testing.T) {
	url := URL("htmx.min.js")
	plain := body(t, get(t, http.MethodGet, url))
	res := get(t, http.MethodGet, url, "Accept-Encoding", "br, gzip")
	if res.Header.Get("Content-Encoding") != "gzip" || res.Header.Get("Vary") != "Accept-Encoding" {
		t.Fatalf("headers %v", res.Header)
	}
	zr, err := gzip.NewReader(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := io.ReadAll(zr)
	if err != nil || !bytes.Equal(unzipped, plain) {
		t.Errorf("gzip content differs: %v", err)
	}
	if res := get(t, http.MethodGet, url, "Accept-Encoding", "gzip;q=0"); res.Header.Get("Content-Encoding") != "" {
		t.Error("gzip although refused")
	}
	if res := get(t, http.MethodGet, url, "If-None-Match", get(t, http.MethodGet, url).Header.Get("ETag")); res.StatusCode != http.StatusNotModified {
		t.Errorf("revalidation: status %d", res.StatusCode)
	}
	if b := body(t, get(t, http.MethodHead, url)); len(b) != 0 {
		t.Errorf("HEAD sent %d bytes", len(b))
	}
}

func TestUnknownNamePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("URL of an unknown name did not panic")
		}
	}()
	URL("none.css")
}

func TestVendoredFilesAreWhatTheNoteSays(t *testing.T) {
	note, err := os.ReadFile("VENDORED.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("htmx.min.js")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(file)
	if !strings.Contains(string(note), hex.EncodeToString(sum[:])) {
		t.Errorf("htmx.min.js has digest %x, which VENDORED.md does not name", sum)
	}
	version := regexp.MustCompile(`htmx\.min\.js \|.*\| (2\.0\.\d+) \|`).FindSubmatch(note)
	if version == nil || !bytes.Contains(file, version[1]) {
		t.Error("VENDORED.md and htmx.min.js name different versions")
	}
}

// The whole of our own style is meant to stay small enough that nobody needs a build step for it.
func TestStylesStaySmall(t *testing.T) {
	total := 0
	for name, a := range assets {
		if strings.HasSuffix(name, ".css") {
			total += len(a.gzipped)
		}
	}
	if total > 14*1024 {
		t.Errorf("styles are %d bytes gzipped", total)
	}
}

// The first style sheet declares the order of the layers; rules outside of them would beat all others.
func TestStylesLiveInLayers(t *testing.T) {
	rule := regexp.MustCompile(`(?m)^(@layer [a-z, ]+;|@layer [a-z]+ \{|/\*|   |\}|\s*$|  )`)
	for name, a := range assets {
		if !strings.HasSuffix(name, ".css") {
			continue
		}
		for i, line := range strings.Split(string(a.plain), "\n") {
			if !rule.MatchString(line) {
				t.Errorf("%s:%d is outside of every layer: %s", name, i+1, line)
			}
		}
	}
	if !strings.Contains(string(assets["tokens.css"].plain), "@layer reset, tokens, base, components, utilities;") {
		t.Error("tokens.css does not declare the order of the layers")
	}
	if Styles()[0] != URL("tokens.css") {
		t.Error("tokens.css must come first")
	}
}
