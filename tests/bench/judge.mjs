// Judges the logs on standard input on the record in its first line, again and again, and prints logs a second.
import { readFileSync } from "node:fs";
import { judge, parseLog, parseRecord, toBytes } from "../../levelgen/clients/levelgen.mjs";

const [line, ...logs] = readFileSync(0, "utf8").trimEnd().split("\n").map((text) => toBytes(text.replaceAll("|", "\n")));
const record = parseRecord(line);
const judgeAll = () => {
  const began = performance.now();
  for (const log of logs) if (judge(record, parseLog(log)).verdict !== "won") throw new Error("not a win");
  return (1000 * logs.length) / (performance.now() - began);
};
console.log(Math.max(...Array.from({ length: 7 }, judgeAll)));
