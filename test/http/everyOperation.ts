import { Api } from "#src/api/Api.ts"
import { examples } from "#src/api/document.ts"

/** A route of the API, as it is declared. */
export interface Endpoint {
  readonly identifier: string
  readonly method: string
  readonly path: string
  readonly middlewares: ReadonlySet<{ readonly key: string }>
}

/** Every one, by its operation. */
export const endpoints = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints as unknown as Record<string, Endpoint>).map(
    (endpoint) => [`${group.identifier}.${endpoint.identifier}`, endpoint] as const
  )
)
/** An id of nothing. */
export const nowhere = "00000000-0000-4000-8000-000000000000"

/** A request to an operation, as its example has it; of what is named there, nothing is there. */
export const asked = (id: string, { method, path }: Endpoint) => {
  const { request: body } = examples.get(id) ?? {}
  const filled = path.replace(/:\w+/g, nowhere).replace("*", "file.txt")
  // the one example that would want a model
  return [method, filled, id === "chat.chat" ? { ...(body as object), model: "local" } : body] as const
}
