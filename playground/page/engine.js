// Asks the worker, one request at a time. A request that takes too long ends the worker; the next one starts another.

export const LIMIT = 20_000; // ms without a word of the worker
const START_LIMIT = 120_000;

export class Engine {
  /** `told(state, detail)` hears `starting`, `ready`, `busy` and `failed`. */
  constructor(data, told) {
    this.data = data;
    this.told = told;
    this.queue = [];
    this.current = null;
    this.number = 0;
    this.generation = 0; // of workers: a session of steps ends with its worker
  }

  start() {
    if (this.worker) return;
    this.generation += 1;
    this.ready = false;
    this.told("starting");
    this.worker = new Worker(this.data.workerUrl);
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = (event) => this.fail(event.message || "the worker did not start");
    const { wasm, stdlib, cpol, lock } = this.data;
    this.worker.postMessage({ start: { wasm, stdlib, cpol, lock } });
    this.watch(START_LIMIT, "cpol did not start in time");
  }

  /** The answer to a request. Of requests with the same `only`, the latest waits; the others resolve to null. */
  ask(request, { part = () => {}, only = null, title = "" } = {}) {
    if (only !== null) {
      for (const old of this.queue.filter((each) => each.only === only)) old.resolve(null);
      this.queue = this.queue.filter((each) => each.only !== only);
    }
    return new Promise((resolve) => {
      this.queue.push({ request, part, only, title, resolve });
      this.start();
      this.next();
    });
  }

  /** Whether a request with this `only` waits for its turn, or for its answer. */
  waits(only) {
    return this.current?.only === only || this.queue.some((each) => each.only === only);
  }

  stop(reason = "stopped") {
    this.end();
    this.drop(reason);
    this.start();
    this.next();
  }

  next() {
    if (!this.ready || this.current || !this.queue.length) return;
    this.current = this.queue.shift();
    this.number += 1;
    this.told("busy", this.current.title);
    this.worker.postMessage({ number: this.number, request: this.current.request });
    this.watchAnswer();
  }

  watchAnswer() {
    this.watch(LIMIT, `it took more than ${LIMIT / 1000} seconds and was stopped`);
  }

  heard(data) {
    if (data.ready) {
      clearTimeout(this.timer);
      this.ready = true;
      this.told("ready");
      this.next();
    } else if ("broken" in data) {
      this.fail(data.broken);
    } else if (this.current && data.number === this.number) {
      if ("part" in data) {
        this.watchAnswer();
        this.current.part(data.part);
        return;
      }
      clearTimeout(this.timer);
      const { resolve } = this.current;
      this.current = null;
      this.told("ready");
      resolve(data.answer);
      this.next();
    }
  }

  watch(limit, reason) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.ready) this.stop(reason);
      else this.fail(reason);
    }, limit);
  }

  /** The worker cannot go on. If it never was ready, another one would not be, either. */
  fail(reason) {
    const began = this.ready;
    this.end();
    if (began) {
      this.drop(`the browser could not do this (${reason})`);
      this.start();
      this.next();
      return;
    }
    this.told("failed", reason);
    for (const each of this.queue.splice(0)) each.resolve({ ok: false, problem: `cpol did not start: ${reason}` });
  }

  end() {
    clearTimeout(this.timer);
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
  }

  drop(reason) {
    const { current } = this;
    this.current = null;
    current?.resolve({ ok: false, problem: reason, dropped: true });
  }
}
