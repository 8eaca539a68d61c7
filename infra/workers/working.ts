import { converseWithService } from "../confined/inside.ts"
import { whereOf } from "../whereOf.ts"
import type { FromWorker, ToWorker } from "./protocol.ts"

/** Each job's code, by its name, loaded when the first such job comes. */
type Code = { readonly [job: string]: () => Promise<(...args: Array<never>) => unknown> }

/** Does one job after another until its stdin ends. It can be killed at any time. */
export const work = (jobs: Code): void => {
  const send: (message: FromWorker) => void = converseWithService((message) => void perform(message as ToWorker))
  const perform = async ({ job, args }: ToWorker) => {
    try {
      if (!Object.hasOwn(jobs, job)) throw new Error("no such job")
      const value = await (await jobs[job]!())(...(args as Array<never>))
      send({ type: "done", value, memory: process.memoryUsage().rss })
    } catch (error) {
      send({ type: "threw", where: whereOf(error) })
    }
  }
  send({ type: "ready" })
}
