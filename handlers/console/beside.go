package console

// beside reads something while the caller reads something else, on another connection, and returns what waits for it, which may be called any
// number of times. Whoever calls it waits in every case, for a request must not end while something of it is still read. A panic there is one here.
func beside(read func() error) (wait func() error) {
	done := make(chan struct{})
	var err error
	var panicked any
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		err = read()
	}()
	return func() error {
		<-done
		if panicked != nil {
			panic(panicked)
		}
		return err
	}
}
