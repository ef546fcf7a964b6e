// The conformance vectors against levelgen.mjs: `node conform.mjs [FOLDER]` prints how many cases of each file hold.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { conform } from "./checks.mjs";

const folder = process.argv[2] ?? fileURLToPath(new URL(".", import.meta.url));
const { counts, wrong } = await conform((name) => readFileSync(`${folder}/${name}`));
for (const text of wrong.slice(0, 20)) console.error(text);
console.log(JSON.stringify(counts));
process.exitCode = wrong.length ? 1 : 0;
