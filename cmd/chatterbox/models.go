package main

import (
	"context"
	"log/slog"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"
	"chatterbox/runtime/provider"
	"chatterbox/runtime/provider/openai"
)

// findModels takes the configured models, or looks for one.
func findModels(ctx context.Context, env env, settings config.Config, log *slog.Logger) (*provider.Models, error) {
	options := provider.FindOptions{
		Options: provider.Options{
			MaxWait: settings.LLM.MaxWait, CallsPerMinute: settings.LLM.RequestsPerMinute, BudgetUSD: settings.LLM.BudgetUSD,
			Prices: map[string]provider.Price{}, Log: log,
		},
		Search: settings.LLM.Discover, Getenv: env.Getenv,
		Timed: func(one provider.Model) provider.Model { return timed(settings, one) },
	}
	for name, price := range settings.Prices {
		options.Prices[name] = provider.Price(price)
	}
	for _, one := range settings.ModelList() {
		options.Models = append(options.Models, provider.Model{
			Name: one.Name, BaseURL: one.BaseURL, Model: one.Model, APIKey: one.APIKey, Local: one.Local,
			Price: (*provider.Price)(one.Price), Context: one.Context,
		})
	}
	found, err := provider.Find(ctx, options)
	if err != nil {
		return nil, cli.Usage("correct llm.base_url, or leave it out to have a local model found", "%w", err)
	}
	return found, nil
}

// timed is the model with its time limits.
func timed(settings config.Config, one provider.Model) provider.Model {
	near := one.Local || openai.IsPrivate(one.BaseURL)
	one.FirstToken, one.BetweenTokens = settings.FirstTokenTimeout(near), settings.LLM.BetweenTokens
	one.Whole = settings.TurnTimeout(near)
	return one
}
