import { useEffect } from "preact/hooks"
import { plain } from "./visible.ts"

/** What the tab and the history call a page. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = title === "" ? "Cairn" : `${plain(title).slice(0, 80)} · Cairn`
  }, [title])
}
