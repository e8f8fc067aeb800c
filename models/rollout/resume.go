package rollout

// Resumes reports whether a halted rollout may run again as its checks came out: all three were made, none is red, and
// the costs of as many delivered jobs are known as the rollout asks. Charges under the candidate may be too few, and so
// may deliveries: while it is halted nobody new is let in, so they could never come, and nothing is widened by a resume.
// An advance asks for them all the same.
func (c Checks) Resumes(r Rollout) bool {
	return len(c.All) == 3 && !c.Red() && !c.LacksCosts(r)
}

// LacksCosts reports whether the costs of fewer delivered jobs are known than a rollout asks for. Where nothing was
// delivered, there is nothing to know.
func (c Checks) LacksCosts(r Rollout) bool {
	return c.Known*10_000 < c.Delivered*int64(r.MinCostsBps)
}
