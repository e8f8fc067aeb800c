package export

import (
	"io"
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
