package rollouts

// Settle is what the page of a rollout that charged somebody says of putting its charges right.
type Settle struct {
	Say     string // empty: there is nothing to say
	URL     string // the form; empty: nothing to propose, or the person may not
	ListURL string // its settlements; empty: there are none
}
