/** Milliseconds after which a pointer that lies still is one that its reader has left there. */
const leftAfter = 5_000
/** Milliseconds within which nobody has seen that something else is under their pointer, and may press what was. */
const unseenFor = 700

/** What the pointer is over, and where that is; `undefined`: over nothing. */
let under: Element | undefined
let at: readonly [x: number, y: number] | undefined
/** When its reader moved it, or pressed something. */
let stirred = Date.now()
let isDown = false
/** When something else came under it as it lay still. */
let changed = Number.NEGATIVE_INFINITY
/** Whether what is being pressed was not there yet when its reader made up their mind. */
let isMistaken = false

/** A finger is over nothing before it presses. */
const fingers = window.matchMedia("(hover: none)")

const stir = (): void => {
  stirred = Date.now()
  changed = Number.NEGATIVE_INFINITY
}

const isOver = ({ target, clientX, clientY, buttons }: PointerEvent): void => {
  // it was let go where this page does not hear: in a menu of the browser, say
  if (buttons === 0) isDown = false
  if (at?.[0] !== clientX || at[1] !== clientY) stir()
  // so browsers tell that what is under a pointer is another thing by itself
  else if (target !== under && untilLeft() === 0) changed = Date.now()
  at = [clientX, clientY]
  under = target as Element
}

/** Milliseconds until the pointer has lain still for so long that nobody aims by it; 0: it has. */
export const untilLeft = (): number => (isDown ? leftAfter : Math.max(0, stirred + leftAfter - Date.now()))

/** Whether this is a device that is touched. */
export const hasFingers = (): boolean => fingers.matches

/** What the pointer is over. */
export const underPointer = (): Element | undefined => (under?.isConnected ? under : undefined)

document.addEventListener("pointerover", isOver)
document.addEventListener("pointermove", isOver)
document.documentElement.addEventListener("pointerleave", () => {
  under = undefined
  at = undefined
})
document.addEventListener(
  "pointerdown",
  (event) => {
    isOver(event)
    isMistaken = Date.now() - changed < unseenFor
    isDown = true
    stir()
  },
  true
)
for (const up of ["pointerup", "pointercancel"] as const)
  document.addEventListener(up, () => {
    isDown = false
    stir()
  })
for (const other of ["keydown", "wheel"] as const)
  document.addEventListener(other, stir, { capture: true, passive: true })
// what came under a pointer that lay still, a moment ago, is not what its reader presses: nothing is, this once
for (const press of ["click", "auxclick"] as const)
  document.addEventListener(
    press,
    (event) => {
      if (!isMistaken || event.detail === 0) return
      isMistaken = false
      event.preventDefault()
      event.stopImmediatePropagation()
    },
    true
  )
