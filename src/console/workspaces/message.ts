/** A commit's first line, and what is below it without the trailers, which name the event and the run. */
export const saidIn = (message: string): { readonly title: string; readonly body: string } => {
  const [title = "", ...rest] = message.split("\n")
  const body = rest
    .filter((line) => !/^Cairn-[A-Za-z-]+: \S+$/.test(line))
    .join("\n")
    .trim()
  return { title: title.trim() === "" ? "(no message)" : title, body }
}
