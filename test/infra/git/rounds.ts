/** How often the event loop went round while something went on. */
export const roundsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  let [rounds, going] = [0, true]
  const look = () => {
    rounds++
    if (going) setImmediate(look)
  }
  setImmediate(look)
  await work()
  going = false
  return rounds
}
