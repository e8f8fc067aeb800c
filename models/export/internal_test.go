package export

import (
	"io"
	"testing"
	"time"
)

// SmallPieces makes pieces smaller than they are, so that a test's file has several.
func (s *Service) SmallPieces(bytes int) { s.piece = bytes }

// AfterPiece calls fn after each piece with the number of pieces that were stored; nil ends that.
func (s *Service) AfterPiece(fn func(int)) { s.afterPiece = fn }

// NewSmallWorkbook begins a workbook whose sheets hold few entries.
func NewSmallWorkbook(out io.Writer, zone *time.Location, entries int) (Writer, error) {
	return newWorkbook(out, zone, entries)
}

// What a spreadsheet would take for a formula is made text, whatever stands before it.
func TestInert(t *testing.T) {
	for s, want := range map[string]string{"": "", "plain": "plain", "a=1": "a=1", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\t=1": "'\t=1",
		"\n=1+1": "'\n=1+1", "\r\n=1": "'\r\n=1", "\nplain": "'\nplain", "  =1": "'  =1", "＝1+1": "'＝1+1", "\u3000＋1": "'\u3000＋1", "レンダー": "レンダー",
		"'=1": "''=1", "''-1": "'''-1", "'plain": "'plain", "'": "'"} {
		got := inert(s)
		if got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
		if back := Uninert(got); back != s {
			t.Errorf("%q: read back as %q", s, back)
		}
	}
}
