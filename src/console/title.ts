import { useEffect } from "preact/hooks"
import { plain } from "./visible.ts"

/** Sets the page's title, for the tab and its history. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = title === "" ? "Cairn" : `${plain(title).slice(0, 80)} · Cairn`
  }, [title])
}
