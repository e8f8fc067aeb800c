package console

import "io"

// pieceSize is how much of a page is kept in one piece: the most that is taken from memory without much ado.
const pieceSize = 32 << 10

// pieces is a page until it is sent. Unlike bytes.Buffer it does not move what it holds when it grows: for a page of a hundred
// kilobytes that would take five times its size.
type pieces [][]byte

// Write adds to the page. It never fails.
func (p *pieces) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		last := len(*p) - 1
		if last < 0 || len((*p)[last]) == pieceSize {
			*p = append(*p, make([]byte, 0, pieceSize))
			last++
		}
		take := min(len(b), pieceSize-len((*p)[last]))
		(*p)[last] = append((*p)[last], b[:take]...)
		b = b[take:]
	}
	return n, nil
}

func (p pieces) size() int {
	n := 0
	for _, piece := range p {
		n += len(piece)
	}
	return n
}

func (p pieces) send(w io.Writer) error {
	for _, piece := range p {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}
