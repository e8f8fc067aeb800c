package settlement

// SetBatch makes the transactions of a payment small, so that a test meets their ends.
func (s *Store) SetBatch(jobs int) { s.batch = jobs }
