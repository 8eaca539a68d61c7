import { Context, Layer } from "effect"
import type { Position } from "./Position.ts"

/** An event that a reaction can't handle for now. */
export interface LeftEvent {
  readonly position: Position
  /** What the reaction had passed before it: from there it is read again. */
  readonly before: Position
  readonly stream: string
}

/** What reactions have left out, by their names, in order: it is tried again until it can be done. */
export class LeftOut extends Context.Service<LeftOut, Map<string, ReadonlyArray<LeftEvent>>>()("cairn/LeftOut") {
  static readonly layer = Layer.sync(LeftOut, () => LeftOut.of(new Map()))
}
