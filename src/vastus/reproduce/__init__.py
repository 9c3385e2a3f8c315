"""The experiments of the papers, runnable, each beside the numbers that were published."""
