"""Derivatives of equilibria: how outputs follow parameters, and what a state owes to each place."""
