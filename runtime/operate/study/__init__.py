"""Compares settings of kernels: programs that run under each of them many times, and what that can show."""
