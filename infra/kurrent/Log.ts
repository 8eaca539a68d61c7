import type { RecordedEvent } from "@kurrent/kurrentdb-client"
import { Context } from "effect"
import type { StoredEvent } from "#engine/ports/EventStore.ts"
import { storedOf } from "./envelope.ts"

/** The stream whose one event says whose log the server has. */
export const Mark = Context.Reference<string>("infra/kurrent/Mark", { defaultValue: () => "cairn-log" })

/** Which log on the server is ours: others may write there too. */
export class Log extends Context.Service<
  Log,
  {
    readonly id: string
    /** An event as the engine knows it; `undefined` if it is not ours. */
    readonly stored: (event: RecordedEvent) => StoredEvent | undefined
  }
>()("infra/kurrent/Log") {}

/** A log by its id, and how its events are read. */
export const logOf = (id: string): Log["Service"] => ({ id, stored: (event) => storedOf(id, event) })
