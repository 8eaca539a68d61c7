import { Data, HashMap, Option, Result, Schema } from "effect"
import type { Decider } from "#engine/Decider.ts"
import { derivedId } from "#engine/derivedId.ts"
import { text } from "#engine/Event.ts"
import { isId, keyedDigest } from "./Id.ts"

/** Stored for good: add a tag or a version, never change the meaning of one. */
export const SlugEvent = Schema.TaggedUnion({
  /** `digest`: what slugs are compared by, keyed with the installation's secret. */
  SlugTaken: { organization: Schema.String, digest: Schema.String, ...text({ slug: Schema.String }) },
  /** Any organization may have the slug from now on. Its text is gone. */
  SlugFreed: { organization: Schema.String, digest: Schema.String, subject: Schema.String }
})
export type SlugEvent = typeof SlugEvent.Type

/** A slug as a command has it. */
export interface AskedSlug {
  readonly slug: string
  readonly digest: string
}

export type SlugCommand = Data.TaggedEnum<{
  /** Gives the first of these that is free, unless the organization has a slug. */
  GiveSlug: { readonly organization: string; readonly candidates: ReadonlyArray<AskedSlug> }
  /** Replaces the organization's slug with this one. */
  ChangeSlug: { readonly organization: string; readonly asked: AskedSlug }
  /** Takes the organization's slug back. */
  FreeSlug: { readonly organization: string }
}>
export const SlugCommand = Data.taggedEnum<SlugCommand>()

/** Another organization, `holder`, has the slug. */
export class SlugInUse extends Data.TaggedError("SlugInUse")<{ readonly holder: string }> {}

/** Slugs are unique in an installation, so one stream decides on all of them. It belongs to no organization. */
export const slugTenant = derivedId("slugs")
export const slugStream = `slugs-${slugTenant}`

export const longestSlug = 40

/** Whether a text can be a slug: `a`–`z`, `0`–`9` and inner hyphens, and not an id, which also names organizations. */
export const isSlug = (text: string): boolean =>
  text.length <= longestSlug && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(text) && !isId(text)

/** A slug with the digest that it is compared by. */
export const askedSlug = (installationSecret: string, slug: string): AskedSlug => ({
  slug,
  digest: keyedDigest(installationSecret, `slug/${slug}`)
})

const folded: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th" }

/** At most `most` characters of a text that has no double hyphens, without a hyphen at either end. */
const cut = (text: string, most: number): string => text.slice(0, most).replace(/^-|-$/g, "")

/** A name as a slug; "organization" if it has no letter or digit that a slug may have. */
export const slugOf = (name: string): string => {
  const letters = name
    .toLowerCase()
    .replace(/[ßæœøłđðþ]/g, (letter) => folded[letter]!)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
  const slug = cut(letters.replace(/[^a-z0-9]+/g, "-").replace(/^-/, ""), longestSlug)
  return isSlug(slug) ? slug : "organization"
}

/** The highest number that is tried behind a taken name. */
const mostNumbers = 100

/** The slugs that an organization may be given for its name, in order: the name, with a number, with its id. */
export const slugsOf = (name: string, organization: string): ReadonlyArray<string> => {
  const slug = slugOf(name)
  const behind = (suffix: string) => `${cut(slug, longestSlug - 1 - suffix.length)}-${suffix}`
  const numbered = Array.from({ length: mostNumbers - 1 }, (_, index) => behind(String(index + 2)))
  return [slug, ...numbered, behind(organization.replaceAll("-", ""))].filter(isSlug)
}

interface Held {
  readonly digest: string
  readonly subject: string
}

export interface SlugState {
  readonly holders: HashMap.HashMap<string, string>
  readonly held: HashMap.HashMap<string, Held>
  /** How many slugs each organization has had. Each has its own subject, which takes no text once it is erased. */
  readonly counts: HashMap.HashMap<string, number>
}

type Decision = Result.Result<Array<SlugEvent>, SlugInUse>

const found = <V>(map: HashMap.HashMap<string, V>, key: string): V | undefined =>
  Option.getOrUndefined(HashMap.get(map, key))

/** The subject of an organization's slug that came after `others` earlier ones. */
const slugSubject = (organization: string, others: number): string => `slug/${organization}.${others}`

/** Whether this is the organization's first slug. */
export const isFirst = ({ organization, subject }: Extract<SlugEvent, { readonly _tag: "SlugTaken" }>): boolean =>
  subject === slugSubject(organization, 0)

const taken = ({ counts }: SlugState, organization: string, { slug, digest }: AskedSlug) => {
  const subject = slugSubject(organization, found(counts, organization) ?? 0)
  return SlugEvent.cases.SlugTaken.make({ organization, digest, subject, text: { slug } })
}

const freed = ({ held }: SlugState, organization: string) => {
  const before = found(held, organization)
  return before === undefined ? [] : [SlugEvent.cases.SlugFreed.make({ organization, ...before })]
}

/** Which organization has which slug, over the whole installation. */
export const Slug: Decider<SlugCommand, SlugEvent, SlugState, SlugInUse> = {
  initial: { holders: HashMap.empty(), held: HashMap.empty(), counts: HashMap.empty() },

  decide: (command, state) =>
    SlugCommand.$match(command, {
      GiveSlug: ({ organization, candidates }): Decision => {
        if (HashMap.has(state.held, organization)) return Result.succeed([])
        const free = candidates.find(({ digest }) => !HashMap.has(state.holders, digest))
        if (free !== undefined) return Result.succeed([taken(state, organization, free)])
        return Result.fail(new SlugInUse({ holder: found(state.holders, candidates[0]!.digest)! }))
      },
      ChangeSlug: ({ organization, asked }): Decision => {
        const holder = found(state.holders, asked.digest)
        if (holder === organization) return Result.succeed([])
        if (holder !== undefined) return Result.fail(new SlugInUse({ holder }))
        return Result.succeed([...freed(state, organization), taken(state, organization, asked)])
      },
      FreeSlug: ({ organization }): Decision => Result.succeed(freed(state, organization))
    }),

  evolve: (state, event) =>
    SlugEvent.match(event, {
      SlugTaken: ({ organization, digest, subject }) => ({
        holders: HashMap.set(state.holders, digest, organization),
        held: HashMap.set(state.held, organization, { digest, subject }),
        counts: HashMap.set(state.counts, organization, (found(state.counts, organization) ?? 0) + 1)
      }),
      SlugFreed: ({ organization, digest }) => ({
        ...state,
        holders: HashMap.remove(state.holders, digest),
        held: HashMap.remove(state.held, organization)
      })
    })
}
