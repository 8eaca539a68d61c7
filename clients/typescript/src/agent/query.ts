import type { Observed } from "./hooks.ts"
import { type AgentPrompt, type AgentQuery, type AgentSdkOptions, loadAgentSdk } from "./sdk.ts"

interface Message {
  readonly type: string
  readonly is_error?: boolean
  readonly subtype?: string
  readonly session_id?: string
}

type Hooks = { [event: string]: Array<unknown> | undefined }

/** The user's own hooks, then ours. */
const withHooks = (given: Hooks | undefined, ours: Hooks): Hooks => {
  const all: Hooks = { ...given }
  for (const [event, matchers] of Object.entries(ours)) all[event] = [...(given?.[event] ?? []), ...(matchers ?? [])]
  return all
}

/**
 * The agent SDK's `query`, observed: its `Query` with all that it can do, though the SDK is loaded only now. A result
 * comes once what follows from it was sent, so that a program may end with it.
 */
export const observedQuery = (
  prompt: AgentPrompt,
  options: AgentSdkOptions,
  observed: Observed,
  load: typeof loadAgentSdk = loadAgentSdk
): AgentQuery => {
  const hooks = withHooks(options.hooks as Hooks | undefined, observed.hooks)
  const query = load().then((sdk) => sdk.query({ prompt, options: { ...options, hooks } as AgentSdkOptions }))
  // who never iterates hears of a failure from nobody
  query.catch(() => {})

  const step = async (take: (query: AgentQuery) => Promise<IteratorResult<Message>>) => {
    try {
      const taken = await take(await query)
      if (taken.done) await observed.close()
      // a failed model call ends as `success`, too, but as an error
      else if (taken.value.type === "result") {
        const { is_error, subtype, session_id = "" } = taken.value
        await observed.result(session_id, is_error === false && subtype === "success")
      }
      return taken
    } catch (error) {
      await observed.close()
      throw error
    }
  }
  const own: { [name: PropertyKey]: (...args: ReadonlyArray<unknown>) => unknown } = {
    next: () => step((query) => query.next() as Promise<IteratorResult<Message>>),
    return: (value) => step((query) => query.return(value as never) as Promise<IteratorResult<Message>>),
    throw: (error) => step((query) => query.throw(error) as Promise<IteratorResult<Message>>),
    close: () =>
      void query
        .then((query) => query.close())
        .finally(observed.close)
        .catch(() => {}),
    [Symbol.asyncIterator]: () => proxy,
    ...(Symbol.asyncDispose ? { [Symbol.asyncDispose]: async () => void (await own["return"]!(undefined)) } : {})
  }
  const methods = new Map<string, unknown>()
  const proxy: AgentQuery = new Proxy({} as AgentQuery, {
    get: (_, name) => {
      if (Object.hasOwn(own, name)) return own[name]
      // it is no promise, and has no symbols that the SDK's has not
      if (name === "then" || typeof name === "symbol") return undefined
      const known =
        methods.get(name) ??
        (async (...args: ReadonlyArray<unknown>) => {
          const method = ((await query) as unknown as { [name: PropertyKey]: unknown })[name]
          if (typeof method === "function") return Reflect.apply(method, await query, args)
          throw new TypeError(`A query of the agent SDK has no method ${String(name)}.`)
        })
      methods.set(name, known)
      return known
    }
  })
  return proxy
}
