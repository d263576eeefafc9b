"""The interpreter on a whole trace, beside native code: `cpolc sim --log` and `--check`."""
