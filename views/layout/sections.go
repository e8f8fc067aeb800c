package layout

// Sections of the rail about work that waits.
const (
	Queue        Section = "/queue"
	Dependencies Section = "/dependencies"
)
