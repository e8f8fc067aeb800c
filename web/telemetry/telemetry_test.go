package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/web/local"
)

// database is the throw-away PostgreSQL of this test binary.
var database string //nolint:gochecknoglobals // set once in TestMain

func TestMain(m *testing.M) {
	services, err := local.StartForTests(context.Background(), local.TestOptions{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := services.Postgres.EnsureDatabase(context.Background(), local.DatabaseName); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	database = services.Postgres.URL(local.DatabaseName)
	code := m.Run()
	if err := services.Stop(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func setup(t *testing.T) *Telemetry {
	t.Helper()
	tel, err := Setup(context.Background(), "test", quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tel.Shutdown(context.Background()) }) //nolint:errcheck // twice is harmless
	return tel
}

// received is a collector that keeps what it is sent.
type received struct {
	mu       sync.Mutex
	spans    []*tracepb.Span
	resource map[string]string
}

func (r *received) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	var message collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &message)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rs := range message.ResourceSpans {
		r.resource = map[string]string{}
		for _, kv := range rs.Resource.Attributes {
			r.resource[kv.Key] = kv.Value.GetStringValue()
		}
		for _, ss := range rs.ScopeSpans {
			r.spans = append(r.spans, ss.Spans...)
		}
	}
}

func collect(t *testing.T) *received {
	t.Helper()
	r := &received{}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
	return r
}

func TestTraceIDsWithoutCollector(t *testing.T) {
	tel := setup(t)
	if tel.Exporting() {
		t.Fatal("exports to nowhere")
	}
	ctx, span := tel.Tracer("t").Start(context.Background(), "root")
	if sc := span.SpanContext(); !sc.IsValid() || sc.IsSampled() || span.IsRecording() {
		t.Errorf("root: valid %v, sampled %v, recording %v", sc.IsValid(), sc.IsSampled(), span.IsRecording())
	}
	_, child := tel.Tracer("t").Start(ctx, "child")
	if child.SpanContext().TraceID() != span.SpanContext().TraceID() {
		t.Error("the child is in another trace")
	}

	for _, flags := range []string{"00", "01"} {
		header := propagation.MapCarrier{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-" + flags}
		_, span := tel.Tracer("t").Start(tel.Propagator().Extract(context.Background(), header), "server")
		out := propagation.MapCarrier{}
		tel.Propagator().Inject(trace.ContextWithSpan(context.Background(), span), out)
		if got := out["traceparent"]; !strings.HasPrefix(got, "00-0af7651916cd43dd8448eb211c80319c-") || !strings.HasSuffix(got, "-"+flags) || strings.Contains(got, "b7ad6b7169203331") {
			t.Errorf("flags %s: passed on as %s", flags, got)
		}
		span.End()
	}
}

func TestTracesCanBeTurnedOff(t *testing.T) {
	collect(t)
	for name, value := range map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "none"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			if setup(t).Exporting() {
				t.Error("exports")
			}
		})
	}
	t.Run("grpc", func(t *testing.T) {
		t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
		if _, err := Setup(context.Background(), "test", quiet()); err == nil || !strings.Contains(err.Error(), "grpc") {
			t.Errorf("got %v", err)
		}
	})
}

func TestStatementsAreChildSpans(t *testing.T) {
	got := collect(t)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	tel := setup(t)
	g, err := db.Open(context.Background(), db.Config{URL: database})
	if err != nil {
		t.Fatal(err)
	}
	if err := tel.Instrument(g); err != nil {
		t.Fatal(err)
	}
	type Note struct {
		ID   int64
		Text string
	}
	run := func(ctx context.Context, f func(*gorm.DB) error) {
		t.Helper()
		if err := f(g.WithContext(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	run(context.Background(), func(g *gorm.DB) error {
		return g.Exec("CREATE TABLE notes (id bigint primary key, text text)").Error
	})
	ctx, root := tel.Tracer("t").Start(context.Background(), "root")
	run(ctx, func(g *gorm.DB) error { return g.Create(&Note{1, "secret-value"}).Error })
	run(ctx, func(g *gorm.DB) error {
		return g.Model(&Note{}).Where("id = ?", 1).Updates(map[string]any{"text": "other-secret"}).Error
	})
	run(ctx, func(g *gorm.DB) error { var n []Note; return g.Where("text = ?", "other-secret").Find(&n).Error })
	run(ctx, func(g *gorm.DB) error { return g.Exec("UPDATE notes SET text = ?", "third-secret").Error })
	run(ctx, func(g *gorm.DB) error {
		var n int
		return g.Raw("SELECT count(*) FROM notes WHERE text <> ?", "fourth-secret").Scan(&n).Error
	})
	run(ctx, func(g *gorm.DB) error { return g.Where("id = ?", 1).Delete(&Note{}).Error })
	if err := g.WithContext(ctx).Exec("SELECT ?::text::bigint", "bad-secret").Error; err == nil {
		t.Fatal("expected an error")
	}
	root.End()
	if err := tel.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}

	rootID := root.SpanContext().SpanID()
	var names []string
	for _, s := range got.spans {
		if s.Name == "root" {
			continue
		}
		names = append(names, s.Name)
		if string(s.ParentSpanId) != string(rootID[:]) {
			t.Errorf("%s is not a child of root", s.Name)
		}
		text := ""
		for _, a := range s.Attributes {
			if a.Key == "db.query.text" {
				text = a.Value.GetStringValue()
			}
			if a.Key == "db.response.status_code" && a.Value.GetStringValue() != "22P02" {
				t.Errorf("error code %s", a.Value.GetStringValue())
			}
		}
		if !strings.Contains(text, "$1") {
			t.Errorf("%s: statement %q", s.Name, text)
		}
		if strings.Contains(s.String(), "secret") {
			t.Errorf("a value came through: %s", s)
		}
	}
	if want := "INSERT notes, UPDATE notes, SELECT notes, SQL, SELECT, DELETE notes, SQL"; strings.Join(names, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(names, ", "), want)
	}
	if got.resource["service.name"] != "recoup" || got.resource["service.version"] != "test" || got.resource["deployment.environment.name"] != "test" {
		t.Errorf("resource %v", got.resource)
	}
}

func TestInstrumentCostsNothingWithoutCollector(t *testing.T) {
	g, err := db.Open(context.Background(), db.Config{URL: database})
	if err != nil {
		t.Fatal(err)
	}
	if err := setup(t).Instrument(g); err != nil {
		t.Fatal(err)
	}
	if len(g.Plugins) != 0 {
		t.Errorf("plugins %v", g.Plugins)
	}
}

func TestMetrics(t *testing.T) {
	tel := setup(t)
	meter := tel.MeterProvider().Meter("t")
	counter, err := meter.Int64Counter("recoup.charges", metric.WithDescription("Charges."))
	if err != nil {
		t.Fatal(err)
	}
	counter.Add(context.Background(), 3)
	duration, err := meter.Float64Histogram("http.server.request.duration", metric.WithUnit("s"))
	if err != nil {
		t.Fatal(err)
	}
	duration.Record(context.Background(), 0.1, metric.WithAttributes(attribute.String("http.route", "/v1/x"), attribute.String("server.address", "evil")))

	w := httptest.NewRecorder()
	tel.MetricsHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text := w.Body.String()
	for _, want := range []string{"recoup_charges_total 3", "go_goroutines", `http_route="/v1/x"`, `service_name="recoup"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(text, "evil") {
		t.Error("a label that callers choose")
	}
}

// A dead collector is told in the log and must not hold up the end of the process.
func TestDeadCollector(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1/v1/traces")
	var log bytes.Buffer
	tel, err := Setup(context.Background(), "test", NewLogger(&log, true, slog.LevelInfo))
	if err != nil {
		t.Fatal(err)
	}
	_, span := tel.Tracer("t").Start(context.Background(), "x")
	span.End()
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	err = tel.Shutdown(ctx)
	if d := time.Since(start); d > 3*time.Second {
		t.Errorf("took %s", d)
	}
	if err == nil && !strings.Contains(log.String(), `"level":"WARN"`) {
		t.Errorf("a lost span was not reported: %s", log.String())
	}
}

func BenchmarkSpanWithoutCollector(b *testing.B) {
	tel, err := Setup(context.Background(), "bench", quiet())
	if err != nil {
		b.Fatal(err)
	}
	tracer := tel.Tracer("b")
	b.ReportAllocs()
	for b.Loop() {
		_, span := tracer.Start(context.Background(), "s")
		span.End()
	}
}
