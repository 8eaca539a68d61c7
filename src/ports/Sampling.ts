import { Context, type Tracer } from "effect"

/** Whether a trace is kept, by the span of its caller if there is one; `undefined`: no traces are taken. */
export const Sampling = Context.Reference<((caller: Tracer.ExternalSpan | undefined) => boolean) | undefined>(
  "cairn/Sampling",
  { defaultValue: () => undefined }
)
