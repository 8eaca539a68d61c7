/** The lines of a text in one, without blanks at their ends and without empty ones. */
export const oneLine = (text: string, between = " "): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(between)
