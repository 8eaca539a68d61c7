/** Milliseconds after which a pointer that does not move was left there by its reader. */
const leftAfter = 5_000
/** Milliseconds within which a reader has not yet seen that something else is under their pointer. */
const unseenFor = 700

/** The element under the pointer, and the pointer's place; `undefined`: it is over nothing. */
let under: Element | undefined
let at: readonly [x: number, y: number] | undefined
/** When the reader last moved the pointer or pressed something. */
let stirred = Date.now()
let isDown = false
/** When something else last came under the pointer while it lay still. */
let changed = Number.NEGATIVE_INFINITY
/** Whether the element that is being pressed was not there yet when the reader decided to press. */
let isMistaken = false

/** With fingers, nothing is under the pointer before it presses. */
const fingers = window.matchMedia("(hover: none)")

const stir = (): void => {
  stirred = Date.now()
  changed = Number.NEGATIVE_INFINITY
}

const isOver = ({ target, clientX, clientY, buttons }: PointerEvent): void => {
  // it was released where this page hears nothing, for example in a menu of the browser
  if (buttons === 0) isDown = false
  if (at?.[0] !== clientX || at[1] !== clientY) stir()
  // browsers send this event also when another element comes under a pointer that does not move
  else if (target !== under && untilLeft() === 0) changed = Date.now()
  at = [clientX, clientY]
  under = target as Element
}

/** Milliseconds until the pointer has lain still for so long that nobody aims with it; 0: it has. */
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
// a press on what has just come under a pointer that lay still is not meant for it: this press is dropped
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
