import { Data } from "effect"

/** An environment variable has a value that can't be used. */
export class BadConfig extends Data.TaggedError("BadConfig")<{ readonly message: string }> {}

/** Throws `BadConfig` that says what was expected of a variable; never its value. */
export const refuse = (name: string, expected: string): never => {
  throw new BadConfig({ message: `${name} is wrong: expected ${expected}` })
}
