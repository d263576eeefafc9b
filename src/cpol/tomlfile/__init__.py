"""Files in TOML, whose errors have a line and a column."""
