/** Splits a console session into commands, which begin with `$ ` or `> `, and their output. */
export function readConsole(session: string): { text: string; answer?: string } {
  const lines = session.split('\n')
  const end = lines.findIndex((line) => !/^[$>] /.test(line))
  const command = (end === -1 ? lines : lines.slice(0, end)).map((line) => line.slice(2)).join('\n')
  return end === -1 ? { text: command } : { text: command, answer: lines.slice(end).join('\n') }
}
