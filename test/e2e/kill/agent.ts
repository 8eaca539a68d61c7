import { calls, type MessagesRequest, type Reply, says, startMessagesApi } from "#test/MessagesApi.ts"

/** What a run is asked to do; its prompt says it. */
export interface Task {
  readonly word: string
  /** It appends its word to log.txt by the shell. */
  readonly shell: boolean
}

export const promptOf = ({ word, shell }: Task): string => `Take a note: ${word}${shell ? ", and log it" : ""}.`

const taskOf = (prompt: string): Task => ({
  word: /Take a note: (\w+)/.exec(prompt)?.[1] ?? "",
  shell: prompt.includes("log it")
})

export const noteOf = (word: string): string => `notes/${word}.txt`

/** The model's turn on a task, the same whenever it is asked. */
const turnOf = ({ word, shell }: Task, turn: number): Reply => {
  const write = (path: string) => ({ name: "Write", input: { file_path: path, content: `${word}\n` } })
  if (turn === 0) return calls(write(noteOf(word)))
  if (turn > 1) return says(`Noted ${word}.`)
  const log = { name: "Bash", input: { command: `echo ${word} >> log.txt && tail -n 1 log.txt` } }
  return calls(...(shell ? [log] : []), write(`notes/${word}.again.txt`))
}

/** What a question to the model is about, and which of the run's turns it asks for. */
export const askedOf = ({ body: { messages } }: MessagesRequest) => ({
  task: taskOf(JSON.stringify(messages[0]?.content ?? "")),
  turn: messages.filter(({ role }) => role === "assistant").length
})

/**
 * A model; where `holds` says so its answer does not come before `held` settles, if ever, so that the service is killed
 * while it waits for it.
 */
export const startModel = (holds: (word: string, turn: number) => boolean, held = new Promise<void>(() => {})) =>
  startMessagesApi((request) => {
    const { task, turn } = askedOf(request)
    const reply = turnOf(task, turn)
    return holds(task.word, turn) ? { ...reply, after: held } : reply
  })
