/**
 * Where a snippet stands, for who counts: the private ones of a home, its public ones, and the public ones of all
 * homes. What a search may see is some whole shelves, and no snippet is on two of them: so what is rare in it is a sum
 * of counts that Elasticsearch has ready.
 */
const own = (home: string) => `-${home}`
const published = (home: string) => `+${home}`
const everyones = "*"

/** Those that a snippet stands on. */
export const shelvesOf = ({ home, isPublic }: { readonly home: string; readonly isPublic: boolean }) =>
  isPublic ? [published(home), everyones] : [own(home)]

/** Those that a search sees, each once. */
export const shelvesSeen = (homes: ReadonlyArray<string>, includePublic: boolean): ReadonlyArray<string> => {
  const some = [...new Set(homes)]
  return includePublic ? [...some.map(own), everyones] : some.flatMap((home) => [own(home), published(home)])
}

/**
 * What stands for a term, or a piece, on a shelf: by that it is counted there, and nowhere else. Neither has a space.
 */
export const onShelf = (shelf: string, what: string | number): string => `${shelf} ${what}`

/**
 * What stands for a term of a public snippet that others are told: of the tasks that it was used for they learn
 * nothing, and so not whether a word stands there.
 */
export const asTold = (term: string): string => onShelf("~", term)
