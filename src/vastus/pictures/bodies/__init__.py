"""Pictures of bodies that muscles move: their bones and bellies, juggling, and exercises."""
