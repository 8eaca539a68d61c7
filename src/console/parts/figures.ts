/** A count with separators of thousands. */
export const number = (count: number): string => count.toLocaleString("en")

const withCents = new Intl.NumberFormat("en", { style: "currency", currency: "USD" })
const ofLess = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 3 })

/** US dollars with cents. Less than a dollar that is not whole cents has three digits, as a turn may cost far less. */
export const dollars = (amount: number): string =>
  (amount >= 1 || Math.round(amount * 100) / 100 === amount ? withCents : ofLess).format(amount)
