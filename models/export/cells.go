package export

import (
	"bytes"
	"encoding/hex"
	"encoding/xml"
	"regexp"
	"strconv"
	"time"
)

// maxExact is the largest number that a spreadsheet, which keeps 15 digits, shows exactly.
const maxExact = 999_999_999_999_999

// cells makes the XML of one row of a sheet after another, in the same memory. A row has 26 cells at most.
type cells struct {
	buf    bytes.Buffer
	row    int
	column byte
}

// begin forgets the row before and begins the row of a number.
func (c *cells) begin(row int) {
	c.buf.Reset()
	c.row, c.column = row, 'A'
	c.buf.WriteString(`<row r="`)
	c.int(int64(row))
	c.buf.WriteString(`">`)
}

// end is the row. It holds until the next begins.
func (c *cells) end() []byte {
	c.buf.WriteString(`</row>`)
	return c.buf.Bytes()
}

func (c *cells) int(n int64) { c.buf.Write(strconv.AppendInt(c.buf.AvailableBuffer(), n, 10)) }

// none leaves a cell empty.
func (c *cells) none() { c.column++ }

// open begins a cell; style 0 is none.
func (c *cells) open(style int) {
	c.buf.WriteString(`<c r="`)
	c.buf.WriteByte(c.column)
	c.int(int64(c.row))
	c.buf.WriteByte('"')
	if style > 0 {
		c.buf.WriteString(` s="`)
		c.int(int64(style))
		c.buf.WriteByte('"')
	}
	c.column++
}

// text adds a text, which is never a formula. It may be empty.
func (c *cells) text(s string) {
	if s == "" {
		c.none()
		return
	}
	c.open(0)
	c.buf.WriteString(` t="inlineStr"><is><t xml:space="preserve">`)
	// Four digits between _x and _ are a character's code there. A text that happens to look so gets its underscore as a code.
	for {
		at := coded.FindStringIndex(s)
		if at == nil {
			break
		}
		c.escaped(s[:at[0]])
		c.buf.WriteString(`_x005F_`)
		s = s[at[0]+1:]
	}
	c.escaped(s)
	c.buf.WriteString(`</t></is></c>`)
}

var coded = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

func (c *cells) escaped(s string) {
	// Most texts are ids: nothing in them needs another form, and a copy of each would only be collected again.
	for i := range len(s) {
		if b := s[i]; b < ' ' || b > '~' || b == '<' || b == '>' || b == '&' || b == '"' || b == '\'' {
			xml.EscapeText(&c.buf, []byte(s)) //nolint:errcheck // memory takes all
			return
		}
	}
	c.buf.WriteString(s)
}

// hex adds bytes as a text of hexadecimal digits.
func (c *cells) hex(b []byte) {
	if len(b) == 0 {
		c.none()
		return
	}
	c.open(0)
	c.buf.WriteString(` t="inlineStr"><is><t>`)
	c.buf.Write(hex.AppendEncode(c.buf.AvailableBuffer(), b))
	c.buf.WriteString(`</t></is></c>`)
}

// number adds a number, shown in a style, or a text where a sheet would lose digits of it.
func (c *cells) number(style int, n int64) {
	if n > maxExact || n < -maxExact {
		c.text(strconv.FormatInt(n, 10))
		return
	}
	c.open(style)
	c.buf.WriteString(`><v>`)
	c.int(n)
	c.buf.WriteString(`</v></c>`)
}

// date adds what a clock on the wall showed at a time in its zone, shown in a style. In a sheet it is a number of days, without a zone.
// Spreadsheets show whole seconds and round to them, so what is finer is cut off: else the last moment of a day would be shown as the next day.
func (c *cells) date(style int, t time.Time) {
	c.open(style)
	c.buf.WriteString(`><v>`)
	wall := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	c.buf.Write(strconv.AppendFloat(c.buf.AvailableBuffer(), float64(wall.Unix()-dayZero)/86_400, 'f', -1, 64))
	c.buf.WriteString(`</v></c>`)
}

// dayZero is the moment from which spreadsheets count days, as seconds since 1970: 1899-12-30 00:00. It is right from March 1900 on.
const dayZero = -2_209_161_600
