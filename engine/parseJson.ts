import { jsonInSteps } from "./jsonInSteps.ts"
import { atOnce } from "./steps.ts"

/** A name of an object's member with an escape in it, or of a text what looks like one. */
const escapedName = /\\["\\]?[^"\\]*"[ \t\n\r]*:/

/** Whether `JSON.parse` may take a name in this text for another: see `parseJson`. */
export const hasEscapedName = (json: string): boolean => escapedName.test(json)

/**
 * `JSON.parse`, where strangers chose the names of members. V8 compares a name with the one that came next in an object
 * which began alike, and does so before it has read the escapes: once `{"a":1,"\\":2}` was read, by whomever, `"\""`
 * and `"\n"` behind an `a` are read as `"\\"` (github.com/nodejs/node/issues/63785, in Node 24 and in Deno 2.9). So
 * such texts are read by ourselves. Throws a `SyntaxError`, or a `JsonFault` of these.
 */
export const parseJson = (json: string): unknown =>
  hasEscapedName(json) ? atOnce(jsonInSteps(json)) : JSON.parse(json)
