const units = ["B", "KiB", "MiB", "GiB"]

/** A number of bytes in words that people read. */
export const bytesIn = (count: number): string => {
  let [size, unit] = [count, 0]
  while (size >= 1_000 && unit < units.length - 1) [size, unit] = [size / 1024, unit + 1]
  return `${unit === 0 ? size : size.toFixed(size < 10 ? 1 : 0)} ${units[unit]}`
}
