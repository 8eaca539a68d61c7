import { signal } from "@preact/signals"

/** The console's colours. `system`: those of the reader's system. */
export type Theme = "system" | "light" | "dark"

const place = "cairn.theme"
export const theme = signal<Theme>("system")

const kept = (): string | null => {
  try {
    return window.localStorage.getItem(place)
  } catch {
    return null
  }
}

/** Shows the console in these colours, and remembers them for the next visit. */
export const choose = (chosen: Theme): void => {
  theme.value = chosen
  document.documentElement.dataset["theme"] = chosen
  try {
    if (chosen === "system") window.localStorage.removeItem(place)
    else window.localStorage.setItem(place, chosen)
  } catch {
    // kept until the page goes
  }
}

/** Uses the colours that were chosen at an earlier visit. */
export const beginTheme = (): void => {
  const before = kept()
  choose(before === "light" || before === "dark" ? before : "system")
}
