package steps_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"

	"chatterbox/evals/steps"
)

// parrot is the smallest product: it hands what the person says to the model, and what the model says to the person.
// It knows no tools and remembers nothing.
func parrot(_ context.Context, settings steps.Settings) (steps.Instance, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /conversation", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Text string
			ID   *string `json:"conversation_id"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer, err := askModel(r.Context(), settings, in.Text)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{ //nolint:errcheck // a client that left fails its own test
			"response_text": answer, "conversation_id": in.ID, "extra": map[string]any{},
			"trace": map[string]any{"states": []string{"OUTPUT"}, "llm_calls": 1, "tool_calls": []any{}},
		})
	})
	server := httptest.NewServer(mux)
	return steps.Instance{
		URL:  server.URL,
		Stop: func() error { server.Close(); return nil },
		Log:  func() string { return "the parrot's log" },
	}, nil
}

func askModel(ctx context.Context, settings steps.Settings, text string) (string, error) {
	body, err := json.Marshal(map[string]any{
		"model": settings.Model, "messages": []any{map[string]string{"role": "user", "content": text}},
	})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, settings.ModelURL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var completion struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.NewDecoder(response.Body).Decode(&completion); err != nil || len(completion.Choices) == 0 {
		return "", err
	}
	return completion.Choices[0].Message.Content, nil
}
