package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"chatterbox/evals/doubles"
)

// cached says how long an answer takes that needs no model, no tool and no conversation: the weather, asked for again.
func (l *lab) cached(ctx context.Context, turns, rounds int) (err error) {
	weather := doubles.NewWeather()
	weather.Put(doubles.Place{Name: "Tokyo", Country: "Japan", Latitude: 35.7, Longitude: 139.7, TemperatureC: 21})
	address, stop, err := doubles.Serve(weather)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	p, err := spawn(ctx, []string{
		"CHATTERBOX_DATA=" + filepath.Join(l.folder, "cached"), "CHATTERBOX_LOG_LEVEL=warn", "OPENAI_API_KEY=",
		"CHATTERBOX_CONVERSATION_AUTO_CREATE_CONVERSATION_ID=false",
		"CHATTERBOX_TOOLS_WEATHER_GEOCODING_URL=http://" + address + doubles.SearchPath,
		"CHATTERBOX_TOOLS_WEATHER_FORECAST_URL=http://" + address + doubles.ForecastPath,
	}, l.ours, "serve", "--listen", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	var p50s []time.Duration
	for range rounds + 1 {
		took, err := run(p.address, 1, turns, askWeather)
		if err != nil {
			return err
		}
		p50s = append(p50s, took.percentile(0.5))
	}
	if n := len(weather.Forecasts()); n != 1 {
		return fmt.Errorf("the weather service was asked %d times: the answers were not cached", n)
	}
	fmt.Printf("\nan answer from the cache, without a model: %s (target 150 µs; the slowest round %s)\n",
		micros(median(p50s[1:])), micros(slices.Max(p50s[1:])))
	return nil
}

func askWeather(c *client, _ int) error {
	answer, err := c.post("/conversation", []byte(`{"text":"What is the weather in Tokyo?"}`))
	if err == nil && !bytes.Contains(answer, []byte("21")) {
		err = fmt.Errorf("unexpected answer: %s", answer)
	}
	return err
}
