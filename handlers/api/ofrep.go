package api

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/handlers/route"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/pricing"
	"recoup/models/staff"
)

// The OpenFeature Remote Evaluation Protocol: which rule version an account would get now, for any OpenFeature
// client. Nothing is recorded and nobody is enrolled; the price that a charge is sure to have is a quote's.

// flagPrefix and an action's id make the key of a flag.
const flagPrefix = "pricing."

// codeFlagNotFound: the key is none of an action that can be charged.
const codeFlagNotFound = "flag_not_found"

// Error codes of OpenFeature.
const (
	flagParseError     = "PARSE_ERROR"
	flagKeyMissing     = "TARGETING_KEY_MISSING"
	flagInvalidContext = "INVALID_CONTEXT"
	flagNotFound       = "FLAG_NOT_FOUND"
	flagGeneral        = "GENERAL"
)

// factErrorCode is the fact of a fault that names the OpenFeature error code to answer with.
const factErrorCode = "errorCode"

func (a *API) flagCalls() []call {
	const text = "The evaluation context has the account's id as targetingKey and may have units, a whole number, to be told the price. " +
		"Everything else in it is ignored: plan, region and attributes are those that are stored for the account. Nothing is recorded and " +
		"nobody is enrolled. "
	flags := func(path, name string, h echo.HandlerFunc, d doc) call {
		d.Body, d.Flags = flagsBody{}, true
		c := post(path, name, staff.FlagEvaluate, h, d)
		c.Refuse = refuseFlag
		return c
	}
	return []call{
		flags("/ofrep/v1/evaluate/flags/:key", "api.flag.evaluate", a.evaluateFlag, doc{
			Summary: "Which rule version an account would get now (OpenFeature remote evaluation)",
			Text:    text + "The key is pricing.<action>, the value the rule version, the variant the cohort.",
			Result:  flagAnswer{}, Refusals: []string{codeFlagNotFound}}),
		flags("/ofrep/v1/evaluate/flags", "api.flag.evaluate_all", a.evaluateFlags, doc{
			Summary: "Which rule version an account would get now of each action (OpenFeature remote evaluation)",
			Text:    text + "One flag for each action that can be charged, all of one moment. The ETag changes with the answer and with the context.",
			Result:  flagsAnswer{}, Cached: true}),
	}
}

type flagsBody struct {
	Context map[string]jsontext.Value `json:"context" required:"true" doc:"targetingKey: the account's id; units: optional, how much of the action the price is for; anything else is ignored"`
}

// flagAnswer is one flag as it came out.
type flagAnswer struct {
	Key string `json:"key"`
	// Value is the rule version, such as video_render@v3.
	Value    string       `json:"value"`
	Variant  string       `json:"variant" enum:"baseline,candidate"`
	Reason   string       `json:"reason" enum:"STATIC,TARGETING_MATCH,SPLIT,DEFAULT,DISABLED"`
	Metadata flagMetadata `json:"metadata"`
}

// flagMetadata says how it came about. Metadata has no null: what there is not is left out.
type flagMetadata struct {
	Cohort         string         `json:"cohort"`
	Why            pricing.Reason `json:"reason"`
	Explanation    string         `json:"explanation"`
	RolloutID      *string        `json:"rollout_id,omitempty"`
	RolloutVersion *int64         `json:"rollout_version,omitempty"`
	Stage          *int           `json:"stage,omitempty"`
	Bucket         *int           `json:"bucket,omitempty"`
	// Units and Price are there where the context had units. Price is in credits.
	Units *int64 `json:"units,omitempty"`
	Price *int64 `json:"price,omitempty"`
}

// flagsAnswer has of each flag what flagAnswer has, or why it could not be evaluated.
type flagsAnswer struct {
	Flags []bulkFlag `json:"flags"`
}

type bulkFlag struct {
	Key          string        `json:"key"`
	Value        string        `json:"value,omitempty"`
	Variant      string        `json:"variant,omitempty"`
	Reason       string        `json:"reason,omitempty"`
	Metadata     *flagMetadata `json:"metadata,omitempty"`
	ErrorCode    string        `json:"errorCode,omitempty"`
	ErrorDetails string        `json:"errorDetails,omitempty"`
}

// evaluation is a request of either call.
type evaluation struct {
	account string
	// units are nil where the context has none.
	units *int64
	// context is the whole context in canonical form.
	context []byte
}

func readEvaluation(c echo.Context) (evaluation, error) {
	var e evaluation
	if _, err := ParseQuery(c); err != nil {
		return e, err
	}
	var b flagsBody
	if err := Decode(c, &b); err != nil {
		return e, err
	}
	var err error
	if e.context, err = json.Marshal(b.Context, json.Deterministic(true)); err != nil {
		return e, fmt.Errorf("api: context: %w", err)
	}
	if err := (*jsontext.Value)(&e.context).Canonicalize(); err != nil {
		return e, fmt.Errorf("api: context: %w", err)
	}
	const target, units = "context.targetingKey", "context.units"
	switch value := b.Context["targetingKey"]; value.Kind() {
	case '"':
		if err := json.Unmarshal(value, &e.account); err != nil {
			return e, invalidContext(target, "is not a string")
		}
	case 0, 'n':
	default:
		return e, invalidContext(target, "must be a string, the id of an account")
	}
	if e.account == "" {
		return e, fault.InvalidField(target, "is required: the id of an account").With(factErrorCode, flagKeyMissing)
	}
	if err := ids.CheckCallerID(e.account); err != nil {
		return e, invalidContext(target, err.Error())
	}
	if value := b.Context["units"]; value.Kind() != 0 && value.Kind() != 'n' {
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || n < 1 {
			return e, invalidContext(units, "must be a whole number from 1, written without fraction or exponent")
		}
		e.units = &n
	}
	return e, nil
}

func invalidContext(field, message string) *fault.Error {
	return fault.InvalidField(field, "%s", message).With(factErrorCode, flagInvalidContext)
}

// priced is how many units are priced: a decision does not depend on them.
func (e evaluation) priced() int64 { return Optional(e.units, 1) }

// answer is a decision as a flag.
func (e evaluation) answer(d pricing.Decision) flagAnswer {
	out := flagAnswer{Key: flagPrefix + d.Action, Value: d.RuleVersion, Variant: d.Cohort, Reason: d.Reason.OpenFeature(),
		Metadata: flagMetadata{Cohort: d.Cohort, Why: d.Reason, Explanation: d.Words(), RolloutID: d.RolloutID, RolloutVersion: d.RolloutVersion,
			Stage: d.Stage, Bucket: d.Bucket, Units: e.units}}
	if e.units != nil {
		out.Metadata.Price = &d.Price
	}
	return out
}

// inContext tells a refusal of the model by the member of the context that it is about.
func inContext(err error) error {
	f := fault.As(err)
	switch {
	case f == nil:
	case f.Code == fault.CodeAccountNotFound:
		return invalidContext("context.targetingKey", "is the id of no account")
	case f.Code == fault.CodeInvalid && f.Fields[0].Name == "units":
		return invalidContext("context.units", f.Fields[0].Message)
	}
	return err
}

func (a *API) evaluateFlag(c echo.Context) error {
	key, err := route.Param(c, "key")
	if err != nil {
		return err
	}
	e, err := readEvaluation(c)
	if err != nil {
		return err
	}
	action, ok := strings.CutPrefix(key, flagPrefix)
	if !ok || ids.CheckCallerID(action) != nil {
		return noFlag(key)
	}
	d, err := a.pricing.Preview(c.Request().Context(), e.account, action, e.priced())
	if fault.Is(err, fault.CodeActionNotFound) {
		return noFlag(key)
	}
	if err != nil {
		return inContext(err)
	}
	return writeValue(c, e.answer(d))
}

func noFlag(key string) error {
	return fault.New(fault.NotFound, codeFlagNotFound, "There is no flag %s: flags are pricing. and the id of an action that can be charged.", plainName(key)).
		With(factErrorCode, flagNotFound)
}

func (a *API) evaluateFlags(c echo.Context) error {
	e, err := readEvaluation(c)
	if err != nil {
		return err
	}
	all, err := a.pricing.PreviewAll(c.Request().Context(), e.account, e.priced())
	if err != nil {
		return inContext(err)
	}
	out := flagsAnswer{Flags: make([]bulkFlag, len(all))}
	for i, p := range all {
		if p.Err != nil {
			f := fault.As(inContext(p.Err))
			out.Flags[i] = bulkFlag{Key: flagPrefix + p.Action, ErrorCode: errorCode(f), ErrorDetails: errorDetails(f)}
			continue
		}
		one := e.answer(p.Decision)
		out.Flags[i] = bulkFlag{Key: one.Key, Value: one.Value, Variant: one.Variant, Reason: one.Reason, Metadata: &one.Metadata}
	}
	body, err := json.Marshal(out, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("api: flags: %w", err)
	}
	tag := etag(e.context, body)
	c.Response().Header().Set("ETag", tag)
	if matches(c.Request().Header.Values("If-None-Match"), tag) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, append(body, '\n'))
}

// etag is of the context and of what came out of it: the configuration counts as far as it shows.
func etag(context, body []byte) string {
	h := sha256.New()
	h.Write(context)
	h.Write([]byte{0})
	h.Write(body)
	return `"` + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18]) + `"`
}

// matches compares weakly, as If-None-Match is.
func matches(header []string, tag string) bool {
	for _, line := range header {
		for _, one := range strings.Split(line, ",") {
			if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// refuseFlag answers a refusal as OFREP has it: key where the path names one, errorCode, errorDetails. After them come the
// members that problems have elsewhere.
func refuseFlag(c echo.Context, status int, f *fault.Error) error {
	var members []any
	if key, err := route.Param(c, "key"); err == nil && key != "" {
		members = append(members, "key", key)
	}
	members = append(members, factErrorCode, errorCode(f), "errorDetails", errorDetails(f), "code", f.Code,
		"request_id", reqctx.RequestID(c.Request().Context()))
	body, err := withFacts(f, members...)
	if err != nil {
		return err
	}
	SetHeaders(c.Response().Header(), status, f)
	return c.Blob(status, echo.MIMEApplicationJSON, body)
}

// errorCode is the fault's own, or that of its kind: what cannot be read is a parse error.
func errorCode(f *fault.Error) string {
	if code, ok := f.Detail[factErrorCode].(string); ok {
		return code
	}
	if f.Kind == fault.Invalid {
		return flagParseError
	}
	return flagGeneral
}

// errorDetails names the fields, where there are any: SDKs pass on nothing else.
func errorDetails(f *fault.Error) string {
	if len(f.Fields) == 0 {
		return f.Message
	}
	parts := make([]string, len(f.Fields))
	for i, field := range f.Fields {
		parts[i] = field.Name + " " + field.Message
	}
	return strings.Join(parts, "; ")
}
