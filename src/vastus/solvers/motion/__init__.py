"""Methods that step through time: implicit, explicit, and what their energy comes to."""
