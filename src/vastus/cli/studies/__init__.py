"""Commands that solve one model many times: studies and fits."""
