import htm from "htm"
import { type ComponentChildren, h, type VNode } from "preact"

/** What a component gives, and what it may contain. */
export type Node = VNode | null
export type Children = ComponentChildren

/** Our markup around anybody's texts: each value in it is text, or was made by this function. */
export const html = (htm as unknown as typeof htm.default).bind(h) as (
  strings: TemplateStringsArray,
  ...values: ReadonlyArray<unknown>
) => VNode
