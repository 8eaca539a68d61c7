/** How a run of code ended. */
export const ExecutionState = {
  COMPLETED: "completed",
  ERRORED: "errored",
  TIMED_OUT: "timed_out",
  CANCELLED: "cancelled"
} as const
/** `completed`, `errored`, `timed_out` or `cancelled`. */
export type ExecutionState = (typeof ExecutionState)[keyof typeof ExecutionState]

/** Whether code was useful. */
export const AgentVerdict = {
  THUMBS_UP: "thumbs_up",
  THUMBS_DOWN: "thumbs_down",
  PENDING: "pending"
} as const
/** `thumbs_up`, `thumbs_down`, or `pending` as long as nobody has judged. */
export type AgentVerdict = (typeof AgentVerdict)[keyof typeof AgentVerdict]

/** Whose private snippets are meant: the organization's (`company`) or a workspace's (`client`). */
export type SnipsDesired = "company" | "client"

/** Who cast a vote. */
export type VoteSource = "ai" | "human"
