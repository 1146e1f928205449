// Which texts may become names. A name stands in lists, in questions such as "Revoke this key?" and in terminals: two that look alike
// would be taken for one, and a character that turns the direction of writing around changes how the rest of the line reads.

/**
 * Controls, formats, surrogates without their other half, characters of nobody and of private use (`C`), separators of lines and
 * paragraphs, what is drawn as nothing (`DI`: fillers, joiners, selectors, tags), and the braille pattern without a dot.
 */
const UNSEEN = String.raw`\p{C}\p{Zl}\p{Zp}\p{DI}\u2800`
const VISIBLE = new RegExp(`^[^${UNSEEN}]*$`, 'u')
/** Of spaces only the ordinary one, and that between words. */
const NAME = new RegExp(String.raw`^(?! )(?:[^${UNSEEN}\p{Zs}]| )*(?<! )$`, 'u')
const UNNAMEABLE = new RegExp(String.raw`[${UNSEEN}\p{Zs}]+`, 'gu')

/** For texts that are more than a name, such as a reason. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text)
}

/** Composing takes quadratic time where many marks stand on one letter, so that texts are cut before it. */
const MAX_COMPOSED = 1000
/** No script writes so many marks on one letter. The rest is cut, because a list can have thousands of such names. */
const STACKED_MARKS = /(\p{M}{16})\p{M}+/gu

/** Most names are shorter: each field has its own limit. A letter that can be written in several ways is in its composed form. */
export function isName(text: string): boolean {
  return text.length <= MAX_COMPOSED && NAME.test(text) && text === text.normalize('NFC')
}

/** What is left of a name from elsewhere, such as a provider's, of at most so many characters; it may be nothing. */
export function nameFrom(text: string, most: number): string {
  const plain = text
    .slice(0, Math.min(3 * most, MAX_COMPOSED))
    .replaceAll(STACKED_MARKS, '$1')
    .normalize('NFC')
    .replaceAll(UNNAMEABLE, ' ')
    .trim()
  return Array.from(plain).slice(0, most).join('').trim()
}

/** Nothing that could end a header, or that two servers would read differently. */
const HEADER_VALUE = /^[\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?$/

/** For the value of a header. How long it may be is said elsewhere. */
export function isHeaderValue(text: string): boolean {
  return HEADER_VALUE.test(text)
}
