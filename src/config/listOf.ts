/** What stands between the commas of a variable, without the blanks around it. */
export const listOf = (text: string): ReadonlyArray<string> =>
  text.split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]))
