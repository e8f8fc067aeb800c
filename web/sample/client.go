package sample

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// client sends JSON to the API.
type client struct {
	url, key string
	http     *http.Client
}

func newClient(url, key string) *client {
	// Claims wait on the server for up to claimWait.
	return &client{url: url, key: key, http: &http.Client{Timeout: (claimWait + 20) * time.Second}}
}

// ready waits until the server answers.
func (c *client) ready(ctx context.Context) error {
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/readyz", nil)
		if err != nil {
			return err
		}
		if res, err := c.http.Do(req); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		if !pause(ctx, 200*time.Millisecond) {
			return ctx.Err()
		}
	}
}

// post sends body under an operation id ("" for none) and reads the answer into out where it is not nil. A
// refusal is no error: the status tells. A request that got no answer is sent once more under the same id.
func (c *client) post(ctx context.Context, path, operationID string, body, out any) (status int, err error) {
	payload, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	for try := 0; try < 2; try++ {
		status, err = c.once(ctx, path, operationID, payload, out)
		if err == nil || ctx.Err() != nil {
			return status, err
		}
	}
	return status, err
}

func (c *client) once(ctx context.Context, path, operationID string, payload []byte, out any) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, bytes.NewReader(payload))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+c.key)
	if operationID != "" {
		req.Header.Set("Idempotency-Key", operationID)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	if res.StatusCode >= 500 {
		return res.StatusCode, fmt.Errorf("%s answered %d", path, res.StatusCode)
	}
	if out != nil && res.StatusCode < 300 {
		if err := json.Unmarshal(answer, out); err != nil {
			return res.StatusCode, err
		}
	}
	return res.StatusCode, nil
}

// operationID names what a worker says of an attempt, so that saying it twice has one effect.
func operationID(what string, j claimed) string {
	return fmt.Sprintf("%s-%s-%d", what, j.JobID, j.Attempt)
}
