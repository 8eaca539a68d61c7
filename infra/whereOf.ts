/** An error's name and the top five lines of its stack, without its message, which may quote the work. */
export const whereOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "no error"
  const lines = (error.stack ?? "").split("\n").filter((line) => /^ +at /.test(line))
  return [error.name, ...lines.slice(0, 5)].join("\n")
}
