"""Control: activations of muscles from motions that are wanted."""
