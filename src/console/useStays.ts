import { useEffect, useRef } from "preact/hooks"

/**
 * Tells whether the component is still on the page. An answer that comes when its reader has gone elsewhere, or has
 * signed out, must not lead anybody anywhere.
 */
export const useStays = (): (() => boolean) => {
  const stays = useRef(true)
  useEffect(
    () => () => {
      stays.current = false
    },
    []
  )
  return () => stays.current
}
