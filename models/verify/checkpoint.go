package verify

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// tally is how many entries of a type there are and what they add up to, in 128 bits: any number of them fits.
type tally struct {
	count, high int64
	low         uint64
}

func (t *tally) add(amount int64) {
	low, carry := bits.Add64(t.low, uint64(amount), 0)
	t.count, t.low, t.high = t.count+1, low, t.high+amount>>63+int64(carry)
}

func (t *tally) String() string {
	n := new(big.Int).Lsh(big.NewInt(t.high), 64)
	return fmt.Sprintf("%d of %s", t.count, n.Add(n, new(big.Int).SetUint64(t.low)))
}

// mark is a checkpoint: what it says of the entries up to seq.
type mark struct {
	account, seq int64
	says         []string
}

// marks holds the checkpoints of a batch against its entries, which come in the same order.
type marks struct {
	rest    []mark
	account int64
	tallies map[string]*tally
	wrong   func(m mark, expected, message string) error
}

// readMarks reads the checkpoints of a batch; there are few, one for two hundred entries.
func (w *worker) readMarks(ctx context.Context, tx pgx.Tx, b batch) error {
	w.marks = marks{rest: w.marks.rest[:0], wrong: func(m mark, expected, message string) error {
		p := Problem{Check: CheckCheckpoint, Seq: m.seq, Expected: expected, Found: strings.Join(m.says, ", "), Message: message}
		if h := w.head(m.account); h != nil {
			p.AccountID = h.id
		}
		return w.run.problem(p)
	}}
	return each(ctx, tx, func(row [][]byte) error {
		account, seq := int64Of(row[0]), int64Of(row[1])
		says := fmt.Sprintf("%s %d of %s", row[2], int64Of(row[3]), row[4])
		if n := len(w.marks.rest); n > 0 && w.marks.rest[n-1].account == account && w.marks.rest[n-1].seq == seq {
			w.marks.rest[n-1].says = append(w.marks.rest[n-1].says, says)
		} else {
			w.marks.rest = append(w.marks.rest, mark{account: account, seq: seq, says: []string{says}})
		}
		return nil
	}, `SELECT account_key, seq, type, count, amount::text FROM entry_checkpoints WHERE `+b.in("account_key")+` ORDER BY account_key, seq, type`, b.args()...)
}

// add counts the next entry and compares the checkpoint that stands at it, if there is one.
func (k *marks) add(e *entry) error {
	if err := k.unmet(e.AccountKey, e.Seq); err != nil || len(k.rest) == 0 || k.rest[0].account != e.AccountKey {
		return err
	}
	if k.account != e.AccountKey || k.tallies == nil {
		k.account, k.tallies = e.AccountKey, map[string]*tally{}
	}
	t := k.tallies[string(e.Type)]
	if t == nil {
		t = &tally{}
		k.tallies[string(e.Type)] = t
	}
	t.add(e.Amount)
	m := k.rest[0]
	if m.seq != e.Seq {
		return nil
	}
	k.rest = k.rest[1:]
	var sums []string
	for _, kind := range slices.Sorted(maps.Keys(k.tallies)) {
		sums = append(sums, kind+" "+k.tallies[kind].String())
	}
	if slices.Equal(sums, m.says) {
		return nil
	}
	return k.wrong(m, strings.Join(sums, ", "), "The checkpoint is not the sum of the entries up to it.")
}

// unmet names the checkpoints before an entry that stand at none.
func (k *marks) unmet(account, seq int64) error {
	for len(k.rest) > 0 && (k.rest[0].account < account || k.rest[0].account == account && k.rest[0].seq < seq) {
		if err := k.wrong(k.rest[0], "an entry", "The checkpoint stands at an entry that does not exist."); err != nil {
			return err
		}
		k.rest = k.rest[1:]
	}
	return nil
}
