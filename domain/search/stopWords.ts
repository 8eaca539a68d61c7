/** Words of every English request, and of every request for a program, that tell no snippet from another. */
const ofRequests = `
a an the this that these those it its i me my we our us you your he she they them their who whom whose which what
and or but nor so if then else than as of at by for from in into on onto to with without within over under out up off
about between through during per via each every any all some both either other another such same own only just also too
very not no is are was were be been being am do does did done doing have has had having can could should would will shall
may might must let lets there here when where why how s t d ll re ve m
write writing function functions method program script code snippet python javascript typescript using use used uses
given giving need needs want wants please help make helper way implement implementing implementation whether
`

/** Keywords and the names that stand in nearly every source. */
const ofPrograms = `
def return returns self cls pass lambda yield elif except raise try finally while break continue none true false null undefined
var const func fn function public private protected static void new export default async await import require module
print println console init main args kwargs len range
`

const stopWords = new Set(`${ofRequests} ${ofPrograms}`.split(/\s+/).filter((word) => word !== ""))

/** Whether a lower-case word says nothing of what is searched for. */
export const isStopWord = (term: string): boolean => stopWords.has(term)
