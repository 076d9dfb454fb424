
export const TadaRun = async ({ client, directory }) => ({
  "tool.execute.before": async (input, output) => {
    output.args ??= {}
    const { tool, sessionID, callID } = input
    const call = { tool, sessionID, callID, cwd: directory, args: output.args }
    Object.assign(output.args, await args(call, () => client.session.abort({ path: { id: sessionID } })))
  },
})
