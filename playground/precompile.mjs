// Compiles Python as the browser has it: node playground/precompile.mjs NPM ARCHIVE writes the archive anew, with what
// Python made of the sources in their place. The page then starts some seconds earlier.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [npm, archive] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${npm}/node_modules/pyodide/pyodide.mjs`));
const python = await loadPyodide();
python.unpackArchive(new Uint8Array(readFileSync(archive)), "tar", { extractDir: "/cpol" });
const made = python.runPython(`
import compileall, io, pathlib, py_compile, tarfile
root = pathlib.Path("/cpol")
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
assert compileall.compile_dir(root, quiet=1, legacy=True, invalidation_mode=unchecked)
out = io.BytesIO()
with tarfile.open(fileobj=out, mode="w") as tar:
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix != ".py":
            info = tarfile.TarInfo(str(path.relative_to(root)))
            data = path.read_bytes()
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
out.getvalue()
`);
writeFileSync(archive, made.toJs());
