"""Random policies as source text: the compiler takes them, executors agree on them, kernels load them."""
