import { jsonInSteps } from "./jsonInSteps.ts"
import { atOnce } from "./steps.ts"

/** An escape in the name of an object's member, or in a text that looks like one. */
const escapedName = /\\["\\]?[^"\\]*"[ \t\n\r]*:/

/** Whether `JSON.parse` may take a name in this text for another: see `parseJson`. */
export const hasEscapedName = (json: string): boolean => escapedName.test(json)

/**
 * `JSON.parse` for JSON in which strangers chose the names of members. V8 compares a name with the one that came next
 * in an earlier object that began alike, before it reads the escapes: once any code has read `{"a":1,"\\":2}`, the
 * names `"\""` and `"\n"` after an `a` are read as `"\\"` (github.com/nodejs/node/issues/63785, in Node 24 and in Deno
 * 2.9). So we read texts with escaped names ourselves. Throws a `SyntaxError`, or a `JsonFault` for those texts.
 */
export const parseJson = (json: string): unknown =>
  hasEscapedName(json) ? atOnce(jsonInSteps(json)) : JSON.parse(json)
