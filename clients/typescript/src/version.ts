/** This package's version, as its package.json has it. */
export const VERSION: string = "0.1.0"
