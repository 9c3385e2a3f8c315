"""Laws of fibres alone, and the published curves that they follow."""
