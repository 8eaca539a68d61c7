import { createRequire } from "node:module"

const start: { readonly programOf: (verb: "serve" | "cairn") => Promise<string> } = createRequire(import.meta.url)(
  "../start.cjs"
)

/** The files of Cairn's programs, as `npm start` and `npm run cairn` run them: of a build (`build.ts`). */
export const programs = { serve: await start.programOf("serve"), cairn: await start.programOf("cairn") }
