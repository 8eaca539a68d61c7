import htm from "htm"
import { type ComponentChildren, h, type VNode } from "preact"

/** What a component gives, and what stands in one. */
export type Node = VNode | null
export type Children = ComponentChildren

/** Markup of ours around texts of anybody: what is put into it is text, or what this made. */
export const html = (htm as unknown as typeof htm.default).bind(h) as (
  strings: TemplateStringsArray,
  ...values: ReadonlyArray<unknown>
) => VNode
