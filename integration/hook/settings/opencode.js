
export const TadaRun = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    output.args ??= {}
    const { tool, sessionID, callID } = input
    Object.assign(output.args, await args({ tool, sessionID, callID, cwd: directory, args: output.args }))
  },
})
