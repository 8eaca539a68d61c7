/** A piece of a text: as it is, or an invisible character, with what to show for it and its name. */
export type Piece = string | { readonly shown: string; readonly name: string }

const names: { readonly [code: number]: string } = {
  173: "soft hyphen",
  1564: "arabic letter mark",
  8203: "zero width space",
  8204: "zero width non-joiner",
  8205: "zero width joiner",
  8206: "left-to-right mark",
  8207: "right-to-left mark",
  8232: "line separator",
  8233: "paragraph separator",
  8234: "left-to-right embedding",
  8235: "right-to-left embedding",
  8236: "pop directional formatting",
  8237: "left-to-right override",
  8238: "right-to-left override",
  8288: "word joiner",
  8294: "left-to-right isolate",
  8295: "right-to-left isolate",
  8296: "first strong isolate",
  8297: "pop directional isolate",
  65279: "zero width no-break space",
  27: "escape"
}

/**
 * Control characters except tab and line feed, invisible characters that turn or join text, blank characters that are
 * no spaces, tags, variation selectors other than emoji's, and single surrogates.
 */
const hidden =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|\u034f|\u115f|\u1160|\u17b4|\u17b5|[\u180b-\u180f]|\u2800|\u3164|[\ufe00-\ufe0e]|\uffa0|[\u{e0100}-\u{e01ef}]/gu

/** Joins several emoji into one. */
const joiner = "\u200d"
const isPicture = (text: string): boolean => /^\p{Extended_Pictographic}/u.test(text)
const endsWithPicture = (text: string): boolean => /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?$/u.test(text)

const signOf = (code: number): string => {
  if (code < 32) return String.fromCharCode(0x2400 + code)
  return code === 127 ? "\u2421" : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`
}

const pieceOf = (character: string): Piece => {
  const code = character.codePointAt(0)!
  const number = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`
  const name = names[code] ?? (code < 32 || (code > 126 && code < 160) ? "control character" : "invisible character")
  return { shown: signOf(code), name: `${number}, ${name}` }
}

/** How many invisible characters are each shown by themselves, in one text, and in a whole source. */
const [mostApart, mostOfSource] = [1_000, 5_000]

/** A text with a replacement character for each invisible one. */
const veiled = (text: string): string => text.replace(/\r\n/g, "\n").replace(hidden, "\ufffd")

/**
 * A source as it can be shown. `piecesOf` makes an element for each invisible character, and very many of them would
 * hold a page up.
 */
export const bearable = (source: string): string => {
  let unseen = 0
  for (const { 0: character, index } of source.matchAll(hidden)) {
    if (character !== "\r" || source[index + 1] !== "\n") unseen++
    if (unseen > mostOfSource) return veiled(source)
  }
  return source
}

/**
 * A text in pieces, so that characters that are invisible, or turn the rest around, can be seen. If there are very
 * many, the others are each shown as a replacement character.
 */
export const piecesOf = (text: string): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let unseen = 0
  let from = 0
  for (const match of text.matchAll(hidden)) {
    const [character] = match
    const after = match.index + character.length
    // a line may end with CR LF, as on Windows
    if (character === "\r" && text[after] === "\n") {
      pieces.push(text.slice(from, match.index))
      from = after
      continue
    }
    if (
      character === joiner &&
      endsWithPicture(text.slice(Math.max(0, match.index - 8), match.index)) &&
      isPicture(text.slice(after, after + 2))
    )
      continue
    if (unseen === mostApart) {
      pieces.push(veiled(text.slice(from)))
      from = text.length
      break
    }
    if (match.index > from) pieces.push(text.slice(from, match.index))
    pieces.push(pieceOf(character))
    unseen++
    from = after
  }
  if (from < text.length) pieces.push(text.slice(from))
  return pieces.filter((piece) => piece !== "")
}

/** A text as one line of plain text, for titles of pages and of elements. */
export const plain = (text: string): string =>
  piecesOf(text)
    .map((piece) => (typeof piece === "string" ? piece : `[${piece.shown}]`))
    .join("")
