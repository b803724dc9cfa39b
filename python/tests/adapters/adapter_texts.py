"""Texts and their ids."""

TEXTS = ["The soup was cold.", "A warm room, a kind host.", "The waiter forgot our order.", "Never again!"]
IDS = ["a", "b", "c", "d"]
