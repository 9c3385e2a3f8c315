"""Muscles known as lines become volumes: paths and Hill parameters in, a `Model` out."""
