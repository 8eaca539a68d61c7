import type { NewExecution, Review } from "#domain/Execution.ts"

/** What tests say of a run. */
export const review: Review = {
  timestamp: "2026-11-21T09:30:00.000Z",
  verdict: "thumbs_down",
  reasoning: "It lost a row.",
  whatWorked: ["speed"],
  whatDidntWork: ["quoting"],
  outputWasUseful: true,
  outputWasCorrect: false,
  outputWasComplete: false,
  errorWasAppropriate: null,
  wouldUseAgain: false,
  suggestedImprovements: [],
  requiredWorkaround: true,
  workaroundDescription: "split by hand"
}

export const execution: NewExecution = {
  execution: "e1",
  home: "acme",
  user: "ada",
  state: "errored",
  duration: 12.5,
  verdict: "thumbs_up",
  text: {
    codeBlock: "function_registry:csv_rows",
    task: "read a CSV file",
    input: { path: "a.csv" },
    inputHash: "",
    output: [["a", 1], null],
    outputHash: "",
    outputType: "list",
    errorMessage: "no such file",
    errorType: "FileNotFoundError",
    agent: null,
    review: null
  }
}
