import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

/** Objects that live in a process, after its garbage is gone. */
export interface Held {
  /** Of Effect. */
  readonly fibers: number
  readonly signals: number
  /** Event emitters, sockets and streams among them, and what listens to them. */
  readonly emitters: number
  readonly listeners: number
  /** Of node:timers, whether they will still come or not. */
  readonly timers: number
}

/** What a runtime's inspector answers. */
interface Told {
  readonly objectId?: string
  readonly value?: number
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

const listening = `function () {
  const on = (emitter) => emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0)
  return this.reduce((sum, one) => { try { return sum + on(one) } catch { return sum } }, 0)
}`

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
  const numberOf = async (objectId: string | undefined, functionDeclaration: string) => {
    const { result } = await ask<{ readonly result: Told }>("Runtime.callFunctionOn", {
      objectId,
      functionDeclaration,
      returnByValue: true
    })
    if (typeof result.value !== "number") throw new Error(`no number: ${result.description}`)
    return result.value
  }
  try {
    await ask("Runtime.evaluate", { expression: findFibers })
    for (;;) {
      const expression = "typeof globalThis.prototypeOfFibers"
      const { result } = await ask<{ readonly result: { readonly value: string } }>("Runtime.evaluate", { expression })
      if (result.value === "object") break
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const counts = { fibers: 0, signals: 0, emitters: 0, timers: 0, listeners: 0 }
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
      counts[name as keyof typeof prototypes] = await numberOf(objects.objectId, "function () { return this.length }")
      if (name === "emitters") counts.listeners = await numberOf(objects.objectId, listening)
      // else the inspector would hold them itself
      await ask("Runtime.releaseObjectGroup", { objectGroup: "held" })
    }
    return counts
  } finally {
    socket.close()
  }
}
