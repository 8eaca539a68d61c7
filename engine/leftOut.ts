import { Context, Layer } from "effect"
import type { Position } from "./Position.ts"

/** An event that a reaction can't handle for now. */
export interface LeftEvent {
  readonly position: Position
  /** The position that the reaction had reached before it: the event is read again from there. */
  readonly before: Position
  readonly stream: string
}

/** Events that reactions have left out, by reaction name, in order: each is tried again until it is handled. */
export class LeftOut extends Context.Service<LeftOut, Map<string, ReadonlyArray<LeftEvent>>>()("engine/LeftOut") {
  static readonly layer = Layer.sync(LeftOut, () => LeftOut.of(new Map()))
}
