/** How many bits of a word the count in each field has, in the order of `fields`: 32 in all. */
const countBits = [6, 8, 8, 10] as const
export const shifts = countBits.map((_, field) =>
  countBits.slice(0, field).reduce<number>((sum, bits) => sum + bits, 0)
)
export const masks = countBits.map((bits) => (1 << bits) - 1)

/** Adds a field's count to a word of counts. What exceeds its bits is cut off, long after saturation has set in. */
export const packCount = (packed: number, field: number, count: number): number =>
  (packed | (Math.min(count, masks[field]!) << shifts[field]!)) >>> 0

/** The count of one field in such a word. */
export const countIn = (packed: number, field: number): number => (packed >>> shifts[field]!) & masks[field]!

/** Whether such a word has a count in any field but this one. */
export const countsBeside = (packed: number, field: number): boolean =>
  (packed & ~(masks[field]! << shifts[field]!)) !== 0
