#!/usr/bin/env node
// Starts the program of this name from the package for this machine. Nothing was downloaded or run
// while npm installed it.
"use strict";
const path = require("path");
const { spawn } = require("child_process");

const name = path.basename(__filename, ".js");
const from = `tada-run-${process.platform}-${process.arch}`;
let program;
try {
  program = path.join(path.dirname(require.resolve(`${from}/package.json`)), name);
} catch {
  console.error(`${name}: the package ${from} is not installed. npm installs it together with ` +
    "tada-run, unless it was told to leave out optional packages (--omit=optional), and it exists " +
    "for Linux on x64 and arm64 only");
  process.exit(125);
}
const args = process.argv.slice(2);
if (process.execve) {
  // from Node 22.15 on: the program takes the place of this process
  try {
    process.emitWarning = () => {};
    process.execve(program, [name, ...args], process.env);
  } catch (err) {
    console.error(`${name}: ${err.message}`);
    process.exit(125);
  }
}
const child = spawn(program, args, { argv0: name, stdio: "inherit" });
// what a terminal sends, it sends to the child too
for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (err) => {
  console.error(`${name}: ${err.message}`);
  process.exit(125);
});
child.on("exit", (status, signal) => {
  if (signal === null) process.exit(status);
  for (const s of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.removeAllListeners(s);
  process.kill(process.pid, signal);
});
