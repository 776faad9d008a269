#!/usr/bin/env node
// Starts the program of this platform, which the package contains.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import os from "node:os";

const system = { linux: "linux", darwin: "darwin", win32: "windows" }[process.platform];
const arch = { x64: "amd64", arm64: "arm64" }[process.arch];
const suffix = process.platform === "win32" ? ".exe" : "";
const program = fileURLToPath(new URL(`bin/skills-${system}-${arch}${suffix}`, import.meta.url));

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// Signals of the terminal reach the program itself; it decides when to end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
}
child.on("error", (error) => {
  console.error(`error: starting ${program}: ${error.message}`);
  process.exitCode = 2;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + os.constants.signals[signal];
});
