/** A count, with its thousands apart. */
export const number = (count: number): string => count.toLocaleString("en")

/** US dollars with cents. */
export const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD" })
