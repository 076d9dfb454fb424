
// names are those that pi tries for one that a tool was given.
const names = (name) => {
  const plain = name.replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " ").replace(/^@/, "")
  const split = plain.normalize("NFD")
  const curly = [plain, split].map((text) => text.replace(/'/g, "\u2019"))
  return [...new Set([plain, plain.replace(/ (AM|PM)\./gi, "\u202F$1."), split, ...curly])]
}

export default (pi) => {
  pi.on("tool_call", async (event, ctx) => {
    const sent = { ...event.input }
    if (typeof sent.path === "string") sent.path = names(sent.path)
    const call = {
      tool: event.toolName,
      sessionID: ctx.sessionManager.getSessionId(),
      callID: event.toolCallId,
      cwd: ctx.cwd,
      args: sent,
    }
    Object.assign(event.input, await args(call, () => ctx.abort()))
  })
}
