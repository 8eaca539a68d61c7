import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "#src/api/Api.ts"
import { statusOf } from "#src/api/Problem.ts"
import { publicDocument } from "./documents.ts"
import { Readiness } from "./ready.ts"

/** The document that tells agents how to use the service. */
export const skill = readFileSync(join(import.meta.dirname, "../../skill.md"), "utf8")

const skillDocument = publicDocument(skill, "text/markdown; charset=utf-8")

export const layer = HttpApiBuilder.group(Api, "system", (handlers) =>
  handlers
    .handle("health", () => Effect.succeed({ status: "healthy" as const }))
    .handle("ready", () =>
      Effect.gen(function* () {
        const report = yield* (yield* Readiness).look
        return HttpServerResponse.jsonUnsafe(report, {
          status: report.status === "ready" ? 200 : statusOf["unavailable/starting"]
        })
      })
    )
    .handle("skill", () => skillDocument)
)
