package comparison

// SetSampled makes how many charges of a side are looked at small, so that a test goes beyond it.
func (s *Service) SetSampled(charges int64) { s.sampled = charges }
