/** Bits that the count in each field has in one word, in the order of `fields`: together 32. */
const countBits = [6, 8, 8, 10] as const
export const shifts = countBits.map((_, field) =>
  countBits.slice(0, field).reduce<number>((sum, bits) => sum + bits, 0)
)
export const masks = countBits.map((bits) => (1 << bits) - 1)

/** Counts per field as one word; a count beyond a field's bits is cut off, long after saturation has set in. */
export const packCount = (packed: number, field: number, count: number): number =>
  (packed | (Math.min(count, masks[field]!) << shifts[field]!)) >>> 0

/** The count in one field of such a word. */
export const countIn = (packed: number, field: number): number => (packed >>> shifts[field]!) & masks[field]!

/** Whether any field has a count in such a word but one. */
export const countsBeside = (packed: number, field: number): boolean =>
  (packed & ~(masks[field]! << shifts[field]!)) !== 0
