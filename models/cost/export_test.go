package cost

// SetLossDeliveries makes small at how many deliveries Losses looks, so that a test goes beyond it.
func (s *Service) SetLossDeliveries(n int) { s.lossDeliveries = n }
