/** How a run of code ended. */
export const ExecutionState = {
  /** It came to its end. */
  COMPLETED: "completed",
  /** It threw an error. */
  ERRORED: "errored",
  /** It took too long. */
  TIMED_OUT: "timed_out",
  /** It was stopped. */
  CANCELLED: "cancelled"
} as const
/** `completed`, `errored`, `timed_out` or `cancelled`. */
export type ExecutionState = (typeof ExecutionState)[keyof typeof ExecutionState]

/** Whether code was useful. */
export const AgentVerdict = {
  /** It was useful. */
  THUMBS_UP: "thumbs_up",
  /** It was not. */
  THUMBS_DOWN: "thumbs_down",
  /** Nobody has judged yet. */
  PENDING: "pending"
} as const
/** `thumbs_up`, `thumbs_down`, or `pending` as long as nobody has judged. */
export type AgentVerdict = (typeof AgentVerdict)[keyof typeof AgentVerdict]

/** Whose private snippets are meant: the organization's (`company`) or a workspace's (`client`). */
export type SnipsDesired = "company" | "client"

/** Who cast a vote: an agent or a model, or a person. */
export type VoteSource = "ai" | "human"
