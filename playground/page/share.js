// A policy in the fragment of an address, which no server sees: #p=DEFLATED, or #policy=NAME of the standard library.

const MOST = 1 << 20; // characters, as in cpol

async function through(data, stream, most = Infinity) {
  const reader = new Blob([data]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) throw new Error("the policy in this address is too large");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function toFragment(text) {
  const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const letters = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  return `#p=${letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** The text or the name in a fragment: { text }, { name }, or {} if it has neither. Rejects if it is damaged. */
export async function fromFragment(fragment) {
  const found = new URLSearchParams(fragment.replace(/^#/, ""));
  if (found.has("policy")) return { name: found.get("policy") };
  if (!found.has("p")) return {};
  const letters = atob(found.get("p").replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const text = await through(bytes, new DecompressionStream("deflate-raw"), MOST);
  return { text: new TextDecoder("utf-8", { fatal: true }).decode(text) };
}
