// Runs the policies that the build compiled to WebAssembly. Each run has an instance of its own.

/** Misses of a module (playground/wasm/policy.h); -1: it cannot. `params`, `ids` and `numbers` are bytes. */
export function misses(module, capacity, params, ids, numbers, objects) {
  const { exports } = new WebAssembly.Instance(module);
  const put = (bytes) => {
    const at = exports.page_room(bytes.length || 1) >>> 0;
    if (at) new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    return at;
  };
  const places = [params, ids, numbers].map(put);
  if (places.includes(0)) return -1;
  return exports.page_misses(capacity, ...places, numbers.length / 4, objects);
}
