#!/usr/bin/env node
// Read a file and print the result as JSON.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const usage = `usage: main.mjs --input FILE

Read a file and print the result as JSON.

exit codes: 0 success, 1 the file cannot be read, 2 usage error`;

let options;
try {
  options = parseArgs({
    options: { input: { type: "string" }, help: { type: "boolean", short: "h" } },
  }).values;
} catch (error) {
  console.error(`${error.message}\n${usage}`);
  process.exit(2);
}
if (options.help) {
  console.log(usage);
  process.exit(0);
}
if (!options.input) {
  console.error(usage);
  process.exit(2);
}
try {
  const text = readFileSync(options.input, "utf8");
  console.log(JSON.stringify({ characters: text.length }));
} catch (error) {
  console.error(`cannot read ${options.input}: ${error.message}`);
  process.exit(1);
}
