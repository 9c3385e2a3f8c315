"""The viewer: a result played, coloured, cut, measured and saved."""
