#!/usr/bin/env node
// Starts the binary that npm has installed for this platform: one of the optional dependencies of this package.
"use strict";
const { spawnSync } = require("node:child_process");

const name = `ai-assist-${process.platform}-${process.arch}`;
let binary = process.env.AI_ASSIST_BINARY;
if (!binary) {
  try {
    binary = require.resolve(`${name}/ai-assist${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    console.error(`ai-assist: the package ${name} is not installed. Either there is no binary for this platform, or npm ran with --omit=optional.`);
    console.error("Run `npm install --include=optional ai-assist`, or build it from source with cargo.");
    process.exit(1);
  }
}
const { status, signal, error } = spawnSync(binary, process.argv.slice(2), { stdio: "inherit" });
if (error) {
  console.error(`ai-assist: ${binary} can't be started: ${error.message}`);
  process.exit(1);
}
if (signal) process.kill(process.pid, signal);
process.exit(status ?? 1);
