/**
 * Whether the rare is looked for, too (`CAIRN_LONG=1`): as many rounds, commits and attacks as show a fault that comes
 * seldom. Without it there are as many as show one that comes always.
 */
export const isLong = process.env["CAIRN_LONG"] === "1"
