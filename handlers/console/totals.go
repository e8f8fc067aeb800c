package console

import (
	"context"

	"recoup/handlers/present"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/page"
	views "recoup/views/ledger"
)

// sumsAtOnce is how many entries a page adds up by itself, which takes a millisecond; more are added up when somebody asks.
const sumsAtOnce = 1_000

// totals are the sums of everything the filter selects, exactly, where they are to be had at once or were asked for.
// Where not, the returned ask leads to them or says that they took too long.
// They are read from l, as the rows were.
func totals(ctx context.Context, l *ledger.Service, r request, pr present.Presenter, f entryFilter,
	rows page.Page[ledger.Entry, ledger.Position]) (*views.Totals, views.Ask, error) {
	if rows.Newer == nil && rows.Older == nil {
		// All of them are on the page.
		return pr.Totals(ledger.TotalsOf(rows.Rows)), views.Ask{}, nil
	}
	if r.QueryParam("totals") != "" {
		sums, err := l.Totals(ctx, f.Filter)
		if fault.Is(err, fault.CodeFilterTooWide) {
			return nil, views.Ask{Failed: true}, nil
		}
		return pr.Totals(sums), views.Ask{}, err
	}
	ask := views.Ask{URL: f.with("totals", "1")}
	sums, whole, err := l.TotalsUpTo(ctx, f.Filter, sumsAtOnce)
	if err != nil || !whole {
		return nil, ask, err
	}
	return pr.Totals(sums), views.Ask{}, nil
}
