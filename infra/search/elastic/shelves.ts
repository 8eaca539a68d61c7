/**
 * The shelf that a snippet stands on, for counting: the private ones of a home, its public ones, or the public ones of
 * all homes. A search sees some whole shelves, and no snippet is on two of these. So how rare a term is follows from a
 * sum of counts that Elasticsearch has ready.
 */
const own = (home: string) => `-${home}`
const published = (home: string) => `+${home}`
const everyones = "*"

/** The shelves that a snippet stands on. */
export const shelvesOf = ({ home, isPublic }: { readonly home: string; readonly isPublic: boolean }) =>
  isPublic ? [published(home), everyones] : [own(home)]

/** The shelves that a search sees, each once. */
export const shelvesSeen = (homes: ReadonlyArray<string>, includePublic: boolean): ReadonlyArray<string> => {
  const some = [...new Set(homes)]
  return includePublic ? [...some.map(own), everyones] : some.flatMap((home) => [own(home), published(home)])
}

/** What stands for a term or a piece on a shelf, so that it is counted there and nowhere else. Neither has a space. */
export const onShelf = (shelf: string, what: string | number): string => `${shelf} ${what}`

/**
 * What stands for a term of a public snippet that others may learn of. They learn nothing of the tasks that it was used
 * for, so not whether a word stands there either.
 */
export const asTold = (term: string): string => onShelf("~", term)
