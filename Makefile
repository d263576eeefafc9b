# cpol: `make help` tells what there is. Each target is a script in scripts/, which can be run by itself.
.DEFAULT_GOAL := help
.PHONY: help setup demo demo-patched test test-all test-debug test-debug-module test-sources check bench bench-mrc bench-sweep bench-caffeine bench-kernel bench-neighbour bench-isolation bench-glues bench-foretold bench-advise bench-gallery bench-regimes bench-graph bench-uncached bench-programs bench-lsp reproduce reproduce-quick playground site test-site soak-core soak-machine fuzz mutants test-kernels test-releases test-arm64 packages rpms test-packages vscode generate clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## install what the rest needs (Debian 12 or 13, as root); a second run only looks
	@scripts/setup

demo: ## a file search under the kernel's own policies and ours: simulated within a minute, then on Debian's kernel in a VM; results in build/demo
	@scripts/demo

demo-patched: ## the same on the patched kernel, which is built first; results in build/demo-patched
	@scripts/demo --patched

check: setup ## style, types, and the tests that take neither a virtual machine nor seconds each: what to run before a commit
	@scripts/check

test: ## setup, check, the slow tests, and those in virtual machines on both kernels that do not take long; an hour
	@scripts/test

test-all: ## setup, and all tests, those that take long too; some 70 minutes
	@scripts/test --all

test-debug: setup ## the patched kernel with KASAN, lockdep and more: selftests, stdlib, 2,000 hostile policies; an hour
	@scripts/test-debug

test-debug-module: setup ## the same with the module, on a debug kernel without our patches; 1,000 hostile policies; an hour
	@scripts/test-debug --glue module

test-sources: setup ## 10,000 random policies as source text: compiled, and loaded into the patched kernel's verifier; an hour
	@scripts/test-sources

bench: setup ## what policies cost: simulator (beside libCacheSim if cachesim is on PATH), cached reads
	@scripts/bench

bench-mrc: setup ## what curves of miss ratios take, exact and of samples, and how far samples are off
	@scripts/bench-mrc

bench-sweep: setup ## what sweeps take: 200 traces in one process, in two, on a cluster that loses a worker; a large trace
	@scripts/bench-sweep

bench-caffeine: setup ## what wtinylfu and wtinylfu_adaptive miss beside Caffeine
	@scripts/bench-caffeine

bench-kernel: setup ## what the patched kernel and the module cost, beside the kernels without
	@scripts/bench-kernel

bench-neighbour: setup ## what a cgroup without a policy feels of each stdlib policy and each hostile program, on both kernels
	@scripts/bench-neighbour

bench-isolation: setup ## two cgroups with a workload each: alone, both under one policy, each under its own
	@scripts/bench-isolation

bench-glues: setup ## what each stdlib policy misses on the patched kernel, with the module and in the simulator
	@scripts/bench-glues

bench-foretold: setup ## what the simulator foretells of a recording, beside what each policy misses in the machine
	@scripts/bench-foretold

bench-advise: setup ## what cpolc advise says of twelve recorded workloads, beside what its policies read in the machine
	@scripts/bench-advise

bench-gallery: setup ## problems of cpolc gallery in a machine: disk reads of the default, and of the policy that each wants
	@scripts/bench-gallery

bench-regimes: setup ## how many swap faults must read under each prefetching policy, on the patched kernel
	@scripts/bench-regimes

bench-graph: setup ## what a graph engine reads from the disk under several policies, on both kernels
	@scripts/bench-graph

bench-uncached: setup ## fio, SQLite and PostgreSQL without the page cache, beside little memory and O_DIRECT; what that costs other files
	@scripts/bench-uncached

bench-programs: setup ## redis, SQLite, graphs, Python, ripgrep under a limit: what each prefetching policy leaves to read
	@scripts/bench-programs

bench-lsp: setup ## what a keystroke takes in cpolc lsp, in the largest policies; writes docs/measured/editor.json
	@scripts/bench-lsp

reproduce: setup ## the tables and figures of the papers, cell by cell: NAME="ycsb/c disk" for some, a night for all; it goes on where it was stopped
	@scripts/reproduce $(NAME)

reproduce-quick: setup ## one cell of each of these tables: fails if a count is not near the kept one
	@scripts/reproduce --quick $(NAME)

soak-core: setup ## the kernel core in user space, 10^9 random events; tests/core/README.md
	@scripts/soak-core

soak-machine: setup ## an hour of cgroups with policies that come and go under load, in a machine: what leaks
	@scripts/soak-machine

fuzz: setup ## what reads hostile bytes in the loader, and traces, under libFuzzer, each for a minute
	@scripts/fuzz

mutants: setup ## 50 mutants of stdlib policies: which of them `cpolc test` and `cpolc check` find
	@scripts/mutants

test-kernels: setup ## the module on the newest 6.12 of both Debians and on 7.2: a table of what works; it goes on where it was stopped
	@scripts/test-kernels

test-releases: setup ## a part of that on the oldest and the newest 6.12 kernel of this Debian, cloud and generic, and the newest of the other
	@scripts/test-kernels --releases

test-arm64: setup ## core and module on emulated arm64, with pages of 64 and 16 KiB
	@scripts/test-arm64

playground: setup ## cpol in a browser: one page that needs no server and no network, in build/playground
	@scripts/playground

site: setup ## the documentation as a site, with the playground, in build/site/html
	@scripts/site

test-site: setup ## site and playground in Chromium: types, steps, draws, searches; widths, keyboard, accessibility
	@scripts/test-site

packages: setup ## the Debian packages cpol, cpol-loader and cache-ext-dkms, in build/packages
	@scripts/packages

rpms: setup ## the same files as rpm packages, in build/rpms; tried with Debian's rpm alone
	@scripts/rpms

test-packages: setup ## these packages in a fresh Debian: install, run, upgrade, remove, purge
	@scripts/test-packages

vscode: ## the VS Code extension, build/editors/cpol.vsix; it needs node 20 and npm
	@scripts/vscode

generate: setup ## write golden files, generated sources and pages anew; then read `git diff`
	@scripts/generate

clean: ## remove what was built in the checkout; .venv and the cache in ~/.cache/cpol stay
	@scripts/clean
