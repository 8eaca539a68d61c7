import type { Call, Headers } from "#test/service/call.ts"
import type { Answer } from "#test/service.ts"
import { source } from "./store.ts"

export const bundlePath = "/api/store/bulk-execution-result"

/** A python file whose source nobody else uploads. */
export const file = (name: string, path = `/srv/app/${name}.py`) => ({ path, content: source(name) })

/** Stores a file for each name, unless told otherwise. */
export const sendBundle = (
  call: Call,
  names: ReadonlyArray<string>,
  more: object = {},
  headers: Headers = {}
): Promise<Answer> =>
  call(
    "POST",
    bundlePath,
    { prompts: [`Write ${names.join(" and ")}.`], files_written: names.map((name) => file(name)), ...more },
    headers
  )

/** What became of the gradings of an upload, asked by its `status_url`. */
export const statusOf = async (call: Call, url: string): Promise<Answer["json"]> => {
  const { status, json, text } = await call("GET", url)
  if (status !== 200) throw new Error(text)
  return json
}
