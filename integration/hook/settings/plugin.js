// Written by: tadactl hook install PLATFORM. To take it out: tadactl hook uninstall PLATFORM.
// Before each tool call it asks tadactl, and throws, which is how a plugin of TITLE blocks,
// unless the answer says to go on. Whatever goes wrong throws.
import { spawn } from "node:child_process"

const argv = ["tadactl"]
const limit = 30000 // milliseconds

const ask = (call) =>
  new Promise((resolve, reject) => {
    const child = spawn(argv[0], argv.slice(1), { stdio: ["pipe", "pipe", "pipe"] })
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      reject(new Error("tada-run did not answer in time"))
    }, limit)
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk) => (out += chunk))
    child.stderr.on("data", (chunk) => (err += chunk))
    child.stdin.on("error", () => {}) // it may answer before it has read everything
    child.on("error", (e) => {
      clearTimeout(timer)
      reject(e)
    })
    child.on("close", (code) => {
      clearTimeout(timer)
      if (code !== 0) return reject(new Error(err.trim() || "tada-run ended with status " + code))
      try {
        resolve(JSON.parse(out))
      } catch {
        reject(new Error("tada-run gave no answer that can be read"))
      }
    })
    child.stdin.end(JSON.stringify(call))
  })

// args returns the arguments to go on with. It calls end where no other call would go on either.
const args = async (call, end) => {
  let answer
  try {
    answer = await ask({ hook_event_name: "tool.execute.before", ...call })
  } catch (e) {
    throw new Error("Tool blocked: " + e.message)
  }
  if (answer?.decision === "end") {
    try {
      await end()
    } catch {} // it is blocked all the same
  }
  if (answer?.decision !== "go" || typeof answer.args !== "object") {
    throw new Error("Tool blocked: " + (answer?.reason ?? "tada-run did not say to go on"))
  }
  return answer.args
}
