package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Telemetry holds the providers of one process. Everything that is instrumented takes them from
// here, not from OpenTelemetry's globals.
type Telemetry struct {
	tracers   *sdktrace.TracerProvider
	meters    *sdkmetric.MeterProvider
	registry  *prometheus.Registry
	exporting bool
	logger    *slog.Logger
}

// Setup makes the providers. Spans are exported over OTLP/HTTP when the environment names a
// collector (OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) and does not turn
// traces off (OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER=none); the collector need not be up. Without
// one, trace ids are made and passed on all the same, so that an operation can store its own, and
// spans record nothing unless a caller's trace is sampled.
//
// The version names this build. The error handler of OpenTelemetry, which is a global of that
// library, is pointed at logger.
func Setup(ctx context.Context, version string, logger *slog.Logger) (*Telemetry, error) {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		logger.Warn("telemetry", "error", err)
	}))
	res, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithHost(),
		resource.WithAttributes(attribute.String("service.name", "recoup"), attribute.String("service.version", version)),
		resource.WithFromEnv(), // last, so that OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win
	)
	if err != nil && !errors.Is(err, resource.ErrPartialResource) && !errors.Is(err, resource.ErrSchemaURLConflict) {
		return nil, fmt.Errorf("telemetry: describe this process: %w", err)
	}

	t := &Telemetry{registry: prometheus.NewRegistry(), exporting: exportWanted(), logger: logger}
	traceOptions := []sdktrace.TracerProviderOption{sdktrace.WithResource(res)}
	if t.exporting {
		if p := protocol(); p != "" && p != "http/protobuf" {
			return nil, fmt.Errorf("telemetry: OTEL_EXPORTER_OTLP_PROTOCOL=%s is not supported, only http/protobuf", p)
		}
		exporter, err := otlptracehttp.New(ctx)
		if err != nil {
			return nil, fmt.Errorf("telemetry: trace exporter: %w", err)
		}
		traceOptions = append(traceOptions, sdktrace.WithBatcher(exporter))
	} else {
		// A root that nobody exports need not record. A sampled parent keeps its flag, so that a
		// caller's trace is whole on the far side of us.
		traceOptions = append(traceOptions, sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.NeverSample())))
	}
	t.tracers = sdktrace.NewTracerProvider(traceOptions...)

	if err := t.registry.Register(collectors.NewGoCollector()); err != nil {
		return nil, fmt.Errorf("telemetry: Go metrics: %w", err)
	}
	if err := t.registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})); err != nil {
		return nil, fmt.Errorf("telemetry: process metrics: %w", err)
	}
	reader, err := otelprometheus.New(otelprometheus.WithRegisterer(t.registry), otelprometheus.WithoutScopeInfo())
	if err != nil {
		return nil, fmt.Errorf("telemetry: metrics: %w", err)
	}
	t.meters = sdkmetric.NewMeterProvider(sdkmetric.WithResource(res), sdkmetric.WithReader(reader), sdkmetric.WithView(views()...))
	return t, nil
}

func exportWanted() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || strings.EqualFold(os.Getenv("OTEL_TRACES_EXPORTER"), "none") {
		return false
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

func protocol() string {
	if p := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"); p != "" {
		return p
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL")
}

// views bound what the HTTP metrics cost: only labels with few values (a Host header is the
// caller's to choose), and no histograms of body sizes.
func views() []sdkmetric.View {
	few := attribute.NewAllowKeysFilter("http.request.method", "http.route", "http.response.status_code", "url.scheme")
	drop := sdkmetric.Stream{Aggregation: sdkmetric.AggregationDrop{}}
	return []sdkmetric.View{
		sdkmetric.NewView(sdkmetric.Instrument{Name: "http.server.request.duration"}, sdkmetric.Stream{AttributeFilter: few}),
		sdkmetric.NewView(sdkmetric.Instrument{Name: "http.server.request.body.size"}, drop),
		sdkmetric.NewView(sdkmetric.Instrument{Name: "http.server.response.body.size"}, drop),
	}
}

// Exporting reports whether spans leave this process.
func (t *Telemetry) Exporting() bool { return t.exporting }

// TracerProvider returns the tracers of this process.
func (t *Telemetry) TracerProvider() trace.TracerProvider { return t.tracers }

// Tracer returns a named tracer.
func (t *Telemetry) Tracer(name string) trace.Tracer { return t.tracers.Tracer(name) }

// MeterProvider returns the meters whose instruments /metrics shows.
func (t *Telemetry) MeterProvider() metric.MeterProvider { return t.meters }

// Propagator reads and writes traceparent, tracestate and baggage.
func (t *Telemetry) Propagator() propagation.TextMapPropagator {
	return propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
}

// MetricsHandler serves the metrics in Prometheus' format.
func (t *Telemetry) MetricsHandler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{
		Registry: t.registry,
		ErrorLog: slog.NewLogLogger(t.logger.Handler(), slog.LevelWarn),
		// One broken collector must not hide all others.
		ErrorHandling: promhttp.ContinueOnError,
	})
}

// Shutdown sends what is still to be sent, within ctx. Nothing may be traced afterwards.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	if err := errors.Join(t.tracers.Shutdown(ctx), t.meters.Shutdown(ctx)); err != nil {
		return fmt.Errorf("telemetry: shutdown: %w", err)
	}
	return nil
}
