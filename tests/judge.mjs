// Judges games from standard input, one JSON object a line: `{"board","context","log"}` in, the verdict out.
import { createInterface } from "node:readline";
import { dealOf, decodeMove, replay } from "../levelgen/clients/levelgen.mjs";

for await (const line of createInterface({ input: process.stdin })) {
  const { board, context, log } = JSON.parse(line);
  const moves = log.split(" ").filter(Boolean).map(decodeMove);
  const known = context && { ...context, firstCompletion: context.first_completion };
  process.stdout.write(`${JSON.stringify(replay(dealOf(board), moves, known))}\n`);
}
