package cmd

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"recoup/models/dependency"
	"recoup/models/process"
)

const (
	// dependenciesEvery is how often breakers are judged and held work is marked.
	dependenciesEvery = time.Second
	// measureEvery is how often the figures for metrics are read.
	measureEvery = 10 * time.Second
)

// keepDependencies does the periodic work about dependencies, in one process at a time. A round that fails is logged:
// what is held stays held by its rows, and a release keeps its rate without it.
func (a *app) keepDependencies(ctx context.Context) error {
	alone := process.New(a.g)
	figures, stop, err := a.dependencyGauges()
	if err != nil {
		return err
	}
	defer stop()
	ticker := time.NewTicker(dependenciesEvery)
	defer ticker.Stop()
	broken := false
	var measured time.Time
	for {
		_, err := alone.Alone(ctx, "dependencies", a.dependencies.Round)
		if err == nil && time.Since(measured) >= measureEvery {
			var now dependency.Gauge
			if now, err = a.dependencies.Measure(ctx); err == nil {
				figures.Store(&now)
				measured = time.Now()
			}
		}
		switch {
		case ctx.Err() != nil:
		case err != nil && !broken:
			broken = true
			a.log.WarnContext(ctx, "dependencies cannot be judged", "error", err)
		case err == nil && broken:
			broken = false
			a.log.InfoContext(ctx, "dependencies are judged again")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// dependencyGauges registers the metrics of dependencies over figures that somebody stores. stop unregisters them.
func (a *app) dependencyGauges() (figures *atomic.Pointer[dependency.Gauge], stop func(), err error) {
	figures = new(atomic.Pointer[dependency.Gauge])
	m := a.tel.MeterProvider().Meter("recoup")
	state, err := m.Int64ObservableGauge("recoup_dependency_state",
		metric.WithDescription("1 for the condition that a dependency is in, else 0: held, open, half_open, releasing, closed."))
	if err != nil {
		return nil, nil, err
	}
	held, err := m.Int64ObservableGauge("recoup_held_jobs", metric.WithDescription("Queued jobs behind a hold, by what is held."))
	if err != nil {
		return nil, nil, err
	}
	registered, err := m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		now := figures.Load()
		if now == nil {
			return nil
		}
		for _, d := range now.States {
			for _, h := range dependency.Healths() {
				var one int64
				if h == d.Health {
					one = 1
				}
				o.ObserveInt64(state, one, metric.WithAttributes(attribute.String("dependency", d.Name), attribute.String("state", string(h))))
			}
		}
		for _, h := range now.Held {
			o.ObserveInt64(held, h.Count, metric.WithAttributes(attribute.String("kind", string(h.Kind)), attribute.String("name", h.Name)))
		}
		return nil
	}, state, held)
	if err != nil {
		return nil, nil, err
	}
	return figures, func() { _ = registered.Unregister() }, nil
}
