import { createRequire } from "node:module"

// Tests run with flags of V8 that are their own (start.cjs); what they start has those of all programs, as users have
// it. With others it would compile anew what these have, and then these what it has (docs/decisions/0113).

interface Runtime {
  readonly env: { readonly DENO_V8_FLAGS?: string }
}
const start: { readonly either: () => Runtime } = createRequire(import.meta.url)("../start.cjs")

if ("Deno" in globalThis) process.env["DENO_V8_FLAGS"] = start.either().env.DENO_V8_FLAGS
