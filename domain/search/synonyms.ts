import { stemmer } from "stemmer"

/** What a synonym's match weighs compared with the word's own. */
export const synonymWeight = 0.5

/** One group a line: the first words are what people say, the later ones what programs call it. */
const groups = `
email mail e-mail
image picture photo img
remove delete erase discard drop
create build generate construct
find search locate lookup
get fetch retrieve obtain
download fetch
list array lst arr
dictionary dict map hash object
string text str
number integer int num numeric
count number occurrence frequency
sum total add addition plus
maximum max largest biggest greatest highest
minimum min smallest lowest least
average mean avg
sort order arrange
reverse invert flip backwards
duplicate repeated
unique distinct
combine merge join concatenate concat
split divide separate partition
convert transform translate change cast
check verify validate test
compare difference diff
calculate compute evaluate
folder directory dir
url link uri
configuration config settings options
start launch run execute
stop kill terminate end
error exception failure
parameter argument param arg
character char letter
element item member
remainder modulo mod
power exponent pow
multiply product multiplication mul
subtract minus subtraction
database db sql
password passwd secret
message msg
previous prev
length len size
index idx position
swap exchange interchange
replace substitute
chart plot graph draw
trim strip
uppercase upper capital
lowercase lower
tuple tup
matrix grid
`

const table = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const bySynonym = new Map<string, Set<string>>()
  for (const line of groups.trim().split("\n")) {
    const terms = line.split(" ").map(stemmer)
    for (const term of terms) {
      const others = bySynonym.get(term) ?? new Set()
      for (const other of terms) if (other !== term) others.add(other)
      bySynonym.set(term, others)
    }
  }
  return new Map(Array.from(bySynonym, ([term, others]) => [term, [...others]]))
}

const synonyms = table()
const none: ReadonlyArray<string> = []

/** The terms that mean about the same as a term; terms are as `tokenize` gives them. */
export const synonymsOf = (term: string): ReadonlyArray<string> => synonyms.get(term) ?? none
