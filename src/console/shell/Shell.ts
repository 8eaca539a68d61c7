import type { FunctionComponent } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { html, type Node } from "../html.ts"
import { CutOff } from "../live/Live.ts"
import { AsOfPage } from "../pages/AsOf.ts"
import { Backups } from "../pages/Backups.ts"
import { Chat } from "../pages/Chat.ts"
import { CommitPage } from "../pages/Commit.ts"
import { Compare } from "../pages/Compare.ts"
import { EventPage } from "../pages/Event.ts"
import { Events } from "../pages/Events.ts"
import { Files } from "../pages/Files.ts"
import { Overview } from "../pages/Overview.ts"
import { People } from "../pages/People.ts"
import { ReadModels } from "../pages/ReadModels.ts"
import { RunPage } from "../pages/Run.ts"
import { Search } from "../pages/Search.ts"
import { SnippetPage } from "../pages/Snippet.ts"
import { Usage } from "../pages/Usage.ts"
import { WorkspacePage } from "../pages/Workspace.ts"
import { Workspaces } from "../pages/Workspaces.ts"
import { Resuming } from "../parts/Resuming.ts"
import { Empty } from "../parts/States.ts"
import type { PageName } from "../paths.ts"
import { go, href, route } from "../router.ts"
import { may, session, signOut } from "../session.ts"
import { choose, type Theme, theme } from "../theme.ts"
import { useTitle } from "../title.ts"
import { SignIn } from "./SignIn.ts"

const views: { readonly [page in PageName]: FunctionComponent } = {
  overview: Overview,
  search: Search,
  snippet: SnippetPage,
  workspaces: Workspaces,
  workspace: WorkspacePage,
  files: Files,
  commit: CommitPage,
  compare: Compare,
  chat: Chat,
  run: RunPage,
  events: Events,
  event: EventPage,
  people: People,
  usage: Usage,
  readModels: ReadModels,
  asOf: AsOfPage,
  backups: Backups
}

interface MenuItem {
  readonly page: PageName
  readonly title: string
  /** The pages that belong to it. */
  readonly holds: ReadonlyArray<PageName>
  /** The operation that its page needs. A key that may not do it does not see this item in the menu. */
  readonly needs?: string
}

const menu: ReadonlyArray<MenuItem> = [
  { page: "overview", title: "Overview", holds: ["overview"] },
  { page: "search", title: "Search", holds: ["search", "snippet"] },
  { page: "workspaces", title: "Workspaces", holds: ["workspaces", "workspace", "files", "commit", "compare"] },
  { page: "chat", title: "Chat", holds: ["chat", "run"], needs: "chat.chat" },
  { page: "events", title: "Events", holds: ["events", "event"], needs: "events.newestEvents" },
  { page: "people", title: "People", holds: ["people"], needs: "users.listUsers" },
  { page: "usage", title: "Usage", holds: ["usage"] },
  { page: "readModels", title: "Read models", holds: ["readModels", "asOf"], needs: "service.status" },
  { page: "backups", title: "Backups", holds: ["backups"], needs: "backups.backup" }
]

const menuFor = () => menu.filter(({ needs }) => needs === undefined || may(needs))

/** Whether the key may do what a page is there for. */
const isFor = (page: PageName): boolean => {
  const needs = menu.find(({ holds }) => holds.includes(page))?.needs
  return needs === undefined || may(needs)
}

/** Signs out on purpose: what the address asks for is nobody else's business. */
const leave = (): void => {
  signOut()
  go("/", true)
}

const next: { readonly [now in Theme]: Theme } = { system: "light", light: "dark", dark: "system" }

const Menu = (): Node => {
  const { page } = route.value
  return html`<nav aria-label="Console"><ul>
    ${menuFor().map(({ page: to, title, holds }) => {
      const isHere = page !== undefined && holds.includes(page)
      return html`<li key=${to}><a href=${href(to)} aria-current=${isHere ? "page" : undefined}>${title}</a></li>`
    })}
  </ul></nav>`
}

const Head = (): Node => html`
  <header class="head">
    <a class="brand" href="/"><svg viewBox="5 4 22 26" width="18" height="22" aria-hidden="true">
      <ellipse cx="16" cy="25.4" rx="10.6" ry="3.4" /><ellipse cx="16.6" cy="18.2" rx="7.6" ry="3" />
      <ellipse cx="15.6" cy="12" rx="5.1" ry="2.5" /><ellipse cx="16.3" cy="6.9" rx="3" ry="1.8" /></svg>Cairn</a>
    <${Menu} />
    <div class="self">
      <button type="button" class="bare" onClick=${() => choose(next[theme.value])} title="Colours">
        <span class="spoken">Colours: </span>${theme.value === "system" ? "Auto" : theme.value === "light" ? "Light" : "Dark"}</button>
      <button type="button" class="bare" onClick=${leave}>Sign out</button>
    </div>
  </header>`

const NoPage = (): Node => {
  useTitle("Page not found")
  return html`<h1 class="spoken">Cairn</h1><${Empty} title="Page not found"><p><a href="/">Go to search</a></p><//>`
}

/** The page that is shown. A new one begins at its title, also for screen readers. */
const View = (): Node => {
  const { page, path } = route.value
  // a reader who types a task at / stays in the box when the first letters change the address
  const place = page === "search" ? page : path
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)
  useEffect(() => {
    if (first.current) first.current = false
    else main.current?.focus({ preventScroll: true })
  }, [place])
  // what was shown to a key does not stay when the key may no longer see it
  const content = page === undefined ? html`<${NoPage} />` : html`<${views[page]} key=${`${place} ${isFor(page)}`} />`
  return html`<main id="main" tabindex="-1" ref=${main}><${CutOff} />${content}</main>`
}

/** The whole console: the current page below the head, or the question for a key. */
export const Shell = (): Node => {
  if (session.value === null) return html`<${SignIn} />`
  return html`
    <a class="skip" href="#main">Skip to content</a>
    <${Head} />
    ${session.value === undefined ? html`<main id="main"><${Resuming} /></main>` : html`<${View} />`}`
}
