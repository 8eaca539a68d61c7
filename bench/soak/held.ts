import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

/** Objects by what they are. */
export type Named = Readonly<Record<string, number>>

/** Objects that live in a process, after its garbage is gone. */
export interface Held {
  /** Of Effect. */
  readonly fibers: Named
  readonly signals: Named
  /** Event emitters, sockets and streams among them, by class. */
  readonly emitters: Named
  /** What listens to emitters and signals, by their class and the event. */
  readonly listeners: Named
  /** Of node:timers, whether they will still come or not, by what they call. */
  readonly timers: Named
}

export const sumOf = (named: Named): number => Object.values(named).reduce((sum, one) => sum + one, 0)

/** What there is more of than before, what grew most first. */
export const grownOf = (before: Named, now: Named): ReadonlyArray<readonly [name: string, more: number]> =>
  Object.entries(now)
    .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
    .filter(([, more]) => more > 0)
    .sort(([, one], [, other]) => other - one)

/** What a runtime's inspector answers. */
interface Told {
  readonly objectId?: string
  readonly value?: unknown
  readonly description?: string
}

const effect = pathToFileURL(createRequire(import.meta.url).resolve("effect")).href
const events = `process.getBuiltinModule("node:events").EventEmitter.prototype`

/** Puts it where the next one finds it: a promise that only the inspector waits for may be collected. */
const findFibers = `void import(${JSON.stringify(effect)}).then(({ Effect }) => {
  const fiber = Effect.runFork(Effect.never)
  globalThis.prototypeOfFibers = Object.getPrototypeOf(fiber)
  fiber.interruptUnsafe()
})`

/** Expressions that give what all such objects inherit from. */
const prototypes = {
  fibers: "globalThis.prototypeOfFibers",
  signals: "AbortSignal.prototype",
  emitters: events,
  timers: `(() => {
    const { setTimeout, clearTimeout } = process.getBuiltinModule("node:timers")
    const timer = setTimeout(() => {}, 1)
    clearTimeout(timer)
    return Object.getPrototypeOf(timer)
  })()`
} as const

/** Counts them by what `names` gives for one, which is a list: it may listen to several. */
const counting = (names: string) => `function () {
  const nameOf = (one) => Object.getPrototypeOf(one)?.constructor?.name ?? "without a class"
  const names = ${names}
  const counts = {}
  for (const one of this) {
    let found
    // prototypes are among them, too
    try { found = names(one, nameOf) } catch { found = [] }
    for (const [name, count] of found) if (count > 0) counts[name] = (counts[name] ?? 0) + count
  }
  return counts
}`

const ofClass = `(one, nameOf) => [[nameOf(one), 1]]`
const ofCall = `(one) => [[String(one._onTimeout).replace(/\\s+/g, " ").slice(0, 80), 1]]`
const listening = `(one, nameOf) => one.eventNames().map((name) => [nameOf(one) + " " + String(name), one.listenerCount(name)])`
const aborting = `(one, nameOf) =>
  [[nameOf(one) + " abort", process.getBuiltinModule("node:events").getEventListeners(one, "abort").length]]`

/** Asks the inspector of a process that was started with `--inspect=127.0.0.1:PORT`. */
export const heldBy = async (port: number): Promise<Held> => {
  const [target] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve)
    socket.addEventListener("error", () => reject(new Error("the inspector can't be reached")))
  })
  let asked = 0
  const waiting = new Map<number, (told: { readonly result?: unknown; readonly error?: unknown }) => void>()
  socket.addEventListener("message", ({ data }) => {
    const told = JSON.parse(String(data))
    waiting.get(told.id)?.(told)
  })
  const ask = async <A>(method: string, params: object): Promise<A> => {
    const id = ++asked
    const { result, error } = await new Promise<{ result?: unknown; error?: unknown }>((resolve) => {
      waiting.set(id, resolve)
      socket.send(JSON.stringify({ id, method, params }))
    })
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result as A
  }
  const namesOf = async (objectId: string | undefined, names: string) => {
    const { result } = await ask<{ readonly result: Told }>("Runtime.callFunctionOn", {
      objectId,
      functionDeclaration: counting(names),
      returnByValue: true
    })
    if (typeof result.value !== "object") throw new Error(`not counted: ${result.description}`)
    return result.value as Named
  }
  try {
    await ask("Runtime.evaluate", { expression: findFibers })
    for (;;) {
      const expression = "typeof globalThis.prototypeOfFibers"
      const { result } = await ask<{ readonly result: { readonly value: string } }>("Runtime.evaluate", { expression })
      if (result.value === "object") break
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const counts: { -readonly [kind in keyof Held]: Held[kind] } = {
      fibers: {},
      signals: {},
      emitters: {},
      timers: {},
      listeners: {}
    }
    for (const [name, expression] of Object.entries(prototypes)) {
      const { result, exceptionDetails } = await ask<{ readonly result: Told; readonly exceptionDetails?: unknown }>(
        "Runtime.evaluate",
        { expression, objectGroup: "held" }
      )
      if (exceptionDetails !== undefined) throw new Error(`${name} can't be counted: ${result.description}`)
      const { objects } = await ask<{ readonly objects: Told }>("Runtime.queryObjects", {
        prototypeObjectId: result.objectId,
        objectGroup: "held"
      })
      counts[name as keyof typeof prototypes] = await namesOf(objects.objectId, name === "timers" ? ofCall : ofClass)
      if (name === "emitters" || name === "signals") {
        const heard = await namesOf(objects.objectId, name === "emitters" ? listening : aborting)
        counts.listeners = { ...counts.listeners, ...heard }
      }
      // else the inspector would hold them itself
      await ask("Runtime.releaseObjectGroup", { objectGroup: "held" })
    }
    return counts
  } finally {
    socket.close()
  }
}
