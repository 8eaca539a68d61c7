/** The lines of a text joined into one, without blanks at their ends and without empty lines. */
export const oneLine = (text: string, between = " "): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(between)
