package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"recoup/models/credit"
	"recoup/models/ledger"
)

// head is an account row: what it claims its newest entry is.
type head struct {
	key           int64
	id            string
	balance       int64
	lastSeq       int64
	lastHash      [sha256.Size]byte
	lastAt        optional
	negativeSince optional
}

// entry is a row of the ledger. Its slices are valid only until the next row is read.
type entry struct {
	ledger.Hashed
	hash []byte
}

// chain follows one account's entries in order of seq and keeps what the next one must continue.
type chain struct {
	account string
	emit    func(Problem) error
	scratch []byte

	count     int64
	seq       int64
	balance   int64
	at        int64
	since     optional // when the balance went below zero, unset while it is not
	hash      [sha256.Size]byte
	recounted [sha256.Size]byte // what the newest entry's hash should have been
	doubtful  bool              // whether hash and recounted differ
	problems  int
}

// begin starts over for another account.
func (c *chain) begin(account string, emit func(Problem) error) {
	*c = chain{account: account, emit: emit, scratch: c.scratch}
}

func (c *chain) wrong(check Check, seq int64, expected, found, message string) error {
	c.problems++
	return c.emit(Problem{Check: check, AccountID: c.account, Seq: seq, Expected: expected, Found: found, Message: message})
}

// add checks the next entry against those before it. One damaged row is named once by each rule it
// breaks; its neighbours are judged by what they were written on.
func (c *chain) add(e *entry) error {
	c.count++
	follows := e.Seq == c.seq+1
	if !follows {
		if err := c.wrong(CheckSeq, e.Seq, number(c.seq+1), number(e.Seq), "The entries are not numbered without a gap."); err != nil {
			return err
		}
	}
	if c.count > 1 && e.CreatedAt <= c.at {
		if err := c.wrong(CheckTime, e.Seq, "later than "+timeText(c.at), timeText(e.CreatedAt), "The entry is not later than the one before."); err != nil {
			return err
		}
	}
	if string(e.Type) == string(ledger.Charge) && e.BalanceAfter < 0 {
		if err := c.wrong(CheckCovered, e.Seq, "0 or more", number(e.BalanceAfter), "The charge ends below zero."); err != nil {
			return err
		}
	}
	// Behind a gap the entry that this one continued is not there to be compared with.
	if follows {
		if err := c.addUp(e); err != nil {
			return err
		}
		if err := c.link(e); err != nil {
			return err
		}
	} else {
		c.doubtful = false
	}
	switch {
	case e.BalanceAfter >= 0:
		c.since = optional{}
	case !c.since.set:
		c.since = optional{e.CreatedAt, true}
	}
	c.seq, c.balance, c.at = e.Seq, e.BalanceAfter, e.CreatedAt
	copy(c.hash[:], e.hash)
	return nil
}

func (c *chain) addUp(e *entry) error {
	sum, err := credit.Add(c.balance, e.Amount)
	if err == nil && sum == e.BalanceAfter {
		return nil
	}
	expected := number(c.balance) + " + " + number(e.Amount)
	if err == nil {
		expected = number(sum)
	}
	return c.wrong(CheckBalance, e.Seq, expected, number(e.BalanceAfter), "The balance after the entry is not the balance before it plus its amount.")
}

func (c *chain) link(e *entry) error {
	var sum [sha256.Size]byte
	sum, c.scratch = e.Sum(c.hash[:], c.scratch)
	if !bytes.Equal(sum[:], e.hash) && c.doubtful {
		// The entry before carries a wrong hash. If this one was written on the right hash, it is sound.
		sum, c.scratch = e.Sum(c.recounted[:], c.scratch)
	}
	c.recounted = sum
	c.doubtful = !bytes.Equal(sum[:], e.hash)
	if !c.doubtful {
		return nil
	}
	return c.wrong(CheckHash, e.Seq, hex.EncodeToString(sum[:]), hex.EncodeToString(e.hash),
		"The hash is not that of the entry's fields and the hash before it.")
}

// end holds the account row against the newest entry. It reports whether they agree.
func (c *chain) end(h *head) (agree bool, err error) {
	at := optional{c.at, c.count > 0}
	var expected, found []string
	differs := func(what, want, got string) {
		expected, found = append(expected, what+" "+want), append(found, what+" "+got)
	}
	if h.lastSeq != c.seq {
		differs("last_seq", number(c.seq), number(h.lastSeq))
	}
	if h.balance != c.balance {
		differs("balance", number(c.balance), number(h.balance))
	}
	if h.lastHash != c.hash {
		differs("last_hash", hex.EncodeToString(c.hash[:]), hex.EncodeToString(h.lastHash[:]))
	}
	if h.lastAt != at {
		differs("last_at", at.timeText(), h.lastAt.timeText())
	}
	if expected != nil {
		message := "The account row does not repeat the newest entry."
		if err := c.emit(Problem{Check: CheckHead, AccountID: h.id, Expected: strings.Join(expected, ", "), Found: strings.Join(found, ", "), Message: message}); err != nil {
			return false, err
		}
	}
	if h.lastSeq > c.seq {
		err := c.emit(Problem{Check: CheckCut, AccountID: h.id, Expected: "entries up to " + number(h.lastSeq), Found: "entries up to " + number(c.seq),
			Message: "The account row knows of more entries than there are: entries may have been removed."})
		if err != nil {
			return false, err
		}
	}
	if h.negativeSince != c.since {
		err = c.emit(Problem{Check: CheckNegativeSince, AccountID: h.id, Expected: c.since.timeText(), Found: h.negativeSince.timeText(),
			Message: "The account row's negative_since is not the time of the entry that took the balance below zero."})
		return false, err
	}
	return expected == nil, nil
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
