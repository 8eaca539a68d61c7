import { jobs } from "./jobs.ts"
import { work } from "./working.ts"

/** The program of a worker process. */
work(jobs)
