/** The service under load, and what its callers know of it. */
export interface Target {
  readonly port: number
  readonly key: string
  /** Where clones are made, none of the service's. */
  readonly clones: string
}

export const headersOf = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" })

/** One request; fails on anything but a success, with what was said. */
export const send = async (
  { port, key }: Pick<Target, "port" | "key">,
  method: string,
  path: string,
  body?: unknown,
  headers: object = {}
) => {
  const isBytes = body instanceof Uint8Array
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headersOf(key), ...headers },
    ...(body === undefined ? undefined : { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  return { text, json: <A>() => JSON.parse(text) as A }
}
