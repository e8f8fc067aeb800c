// Package static holds the files the browser needs and serves them.
//
// Each file has a URL that carries a digest of its content, so it may be cached for ever and a new release
// is picked up at once. A handler mounts Handler at Prefix and hands Styles and Scripts to the layout:
//
//	mux.Handle(static.Prefix, static.Handler())
//	layout.Assets{Styles: static.Styles(), Scripts: static.Scripts(), Icon: static.URL("icon.svg")}
//
// The package imports nothing else of this program.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// Prefix is the path below which Handler serves, with its closing slash.
const Prefix = "/static/"

const (
	forever    = "public, max-age=31536000, immutable"
	revalidate = "no-cache"
)

//go:embed tokens.css base.css console.css pages.css adapt.css console.js htmx.min.js icon.svg
var files embed.FS

// assets is the table of everything embedded, by plain name. It is computed from files when the program
// starts and never written again: a constant that the language cannot express as one.
var assets = index() //nolint:gochecknoglobals // see above

type asset struct {
	hash    string
	kind    string
	plain   []byte
	gzipped []byte
}

// URL returns the fingerprinted URL of an embedded file, e.g. "/static/console.1f2e3d4c.css" for
// "console.css". An unknown name is a mistake of the programmer and panics.
func URL(name string) string {
	a, ok := assets[name]
	if !ok {
		panic(fmt.Sprintf("static: no embedded file %q", name))
	}
	ext := path.Ext(name)
	return Prefix + strings.TrimSuffix(name, ext) + "." + a.hash + ext
}

// Styles returns the URLs of all style sheets in the order in which a page must link them: the first one
// declares the order of the cascade layers.
func Styles() []string {
	return []string{URL("tokens.css"), URL("base.css"), URL("console.css"), URL("pages.css"), URL("adapt.css")}
}

// Scripts returns the URLs of all scripts in the order in which a page must load them, deferred.
func Scripts() []string {
	return []string{URL("htmx.min.js"), URL("console.js")}
}

// Handler serves the embedded files to GET and HEAD. The current fingerprint may be cached for ever. Another
// fingerprint of a known file (a page from before a deployment) gets the current content, to be
// revalidated, because a page without styles is worse than a page with newer ones. Anything else is 404.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		name, hash := split(strings.TrimPrefix(r.URL.Path, Prefix))
		a, ok := assets[name]
		if !ok || hash == "" {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Cache-Control", revalidate)
		if hash == a.hash {
			h.Set("Cache-Control", forever)
		}
		h.Set("Content-Type", a.kind)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Vary", "Accept-Encoding")
		body, tag := a.plain, `"`+a.hash+`"`
		if acceptsGzip(r) && len(a.gzipped) < len(a.plain) {
			body, tag = a.gzipped, `"`+a.hash+`-gzip"`
			h.Set("Content-Encoding", "gzip")
		}
		h.Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.Set("Content-Length", strconv.Itoa(len(body)))
		if r.Method == http.MethodHead {
			return
		}
		// The browser going away in the middle of a download is its own business.
		_, _ = w.Write(body)
	})
}

// split takes "console.1f2e3d4c.css" apart into "console.css" and "1f2e3d4c"; the hash is empty where the
// name carries none.
func split(p string) (name, hash string) {
	ext := path.Ext(p)
	stem := strings.TrimSuffix(p, ext)
	dot := strings.LastIndexByte(stem, '.')
	if dot < 0 || len(stem)-dot-1 != 8 {
		return p, ""
	}
	if _, err := hex.DecodeString(stem[dot+1:]); err != nil {
		return p, ""
	}
	return stem[:dot] + ext, stem[dot+1:]
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if coding == "gzip" && !strings.HasPrefix(strings.ReplaceAll(params, " ", ""), "q=0") {
			return true
		}
	}
	return false
}

func index() map[string]asset {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(fmt.Sprintf("static: reading embedded files: %v", err))
	}
	table := make(map[string]asset, len(entries))
	for _, e := range entries {
		body, err := files.ReadFile(e.Name())
		if err != nil {
			panic(fmt.Sprintf("static: reading embedded %s: %v", e.Name(), err))
		}
		sum := sha256.Sum256(body)
		table[e.Name()] = asset{
			hash:    hex.EncodeToString(sum[:4]),
			kind:    contentType(e.Name()),
			plain:   body,
			gzipped: compress(body),
		}
	}
	return table
}

// contentType does not ask package mime: its answers depend on files of the machine it runs on.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	default:
		return "application/octet-stream"
	}
}

func compress(body []byte) []byte {
	var buf bytes.Buffer
	zw, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		panic(fmt.Sprintf("static: gzip writer: %v", err))
	}
	// Writing to memory cannot fail.
	_, _ = zw.Write(body)
	_ = zw.Close()
	return buf.Bytes()
}
