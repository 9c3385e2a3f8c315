"""Commands that solve one model many times: fits."""
