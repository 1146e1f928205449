// The texts by which input estimates are judged: prose and code from files, all written for this purpose, and what machines write,
// generated alike each time. Each text is one kind.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'corpus')
/** Of generated texts. */
const CHARACTERS = 1_200

/** Kinds that tables show together. What is in none of them was made to be dear. */
export const GROUPS = {
  'Latin prose': 'english finnish german polish spanish turkish vietnamese'.split(' '),
  'other prose': 'arabic bengali chinese greek hindi japanese korean russian thai'.split(' '),
  code: 'c go minified python rust sql typescript'.split(' '),
  'JSON, logs': 'diff html json log markdown'.split(' '),
  'base64, hex': ['base64', 'hex', 'uuids'],
  digits: ['digits', 'floats in JSON', 'numbers in a table'],
  'rare glyphs': ['emoji', 'mathematical letters', 'old scripts', 'rare Chinese characters'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Kinds by which estimates of an output are compared with what vendors count: ten languages, code, and what machines write. */
export const OUTPUTS = [
  ...'english german spanish polish vietnamese russian arabic hindi thai chinese japanese korean'.split(' '),
  ...'python typescript json base64'.split(' '),
]

/** By the name of its kind. */
export function corpus(): ReadonlyMap<string, string> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.txt'))
  const written = files.map(
    (file) => [file.slice(0, -'.txt'.length), readFileSync(join(FOLDER, file), 'utf8')] as const,
  )
  return new Map([
    ...written,
    ...Object.entries(GENERATED).map(([kind, make]) => [kind, make(new Dice(kind))] as const),
  ])
}

/** Throws alike for the same seed. */
class Dice {
  #state = 2_166_136_261

  constructor(seed: string) {
    for (const character of seed) this.#state = Math.imul(this.#state ^ (character.codePointAt(0) ?? 0), 16_777_619)
  }

  /** From 0 to `sides` - 1. */
  below(sides: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) | 0
    return Math.floor(((this.#state >>> 0) / 2 ** 32) * sides)
  }

  of(characters: string, count = CHARACTERS): string {
    const all = Array.from(characters)
    return Array.from({ length: count }, () => all[this.below(all.length)] ?? '').join('')
  }

  /** Code points of the ranges, each from its first to its last. */
  from(ranges: readonly (readonly [number, number])[], count = CHARACTERS / 3): string {
    return Array.from({ length: count }, () => {
      const [first, last] = ranges[this.below(ranges.length)] ?? [0x20, 0x20]
      return String.fromCodePoint(first + this.below(last - first + 1))
    }).join('')
  }

  words(make: () => string, separator: string): string {
    let text = make()
    while (text.length < CHARACTERS) text += separator + make()
    return text
  }
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const HEX = `${DIGITS}abcdef`
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'

/** Each is one token to some and many to others. */
const LONG_WORDS =
  'internationalization responsibilities characteristics getElementsByClassName telecommunications'.split(' ')
const LONG_CHINESE = ['微信公众平台', '中华人民共和国', '有限责任公司', '重庆时时彩', '年月日']

const GENERATED: Readonly<Record<string, (dice: Dice) => string>> = {
  base64: (dice) => dice.of(`${UPPER}${LOWER}${DIGITS}+/`),
  hex: (dice) => dice.of(HEX),
  'hex dump': (dice) => dice.words(() => dice.of(HEX, 2), ' '),
  uuids: (dice) => dice.words(() => [8, 4, 4, 4, 12].map((length) => dice.of(HEX, length)).join('-'), '\n'),
  digits: (dice) => dice.of(DIGITS),
  'digits one by one': (dice) => dice.words(() => dice.of(DIGITS, 1), ' '),
  'numbers in a table': (dice) => dice.words(() => `${dice.below(100_000)},${dice.below(1_000) / 10}`, '\n'),
  'floats in JSON': (dice) => `[${dice.words(() => String((dice.below(2_000_000_000) - 1_000_000_000) / 1e9), ',')}]`,
  'random letters': (dice) => dice.of(LOWER),
  'random capitals': (dice) => dice.of(UPPER),
  'letters of changing case': (dice) => dice.words(() => dice.of(LOWER, 1) + dice.of(UPPER, 1), ''),
  'letters, digits, signs': (dice) => dice.of(`${UPPER}${LOWER}${DIGITS}${PUNCTUATION}`),
  signs: (dice) => dice.of(PUNCTUATION),
  'one letter words': (dice) => dice.words(() => dice.of(`${LOWER}${UPPER}`, 1), ' '),
  'names in camel case': (dice) =>
    dice.words(() => `${dice.of(LOWER, 3)}${dice.of(UPPER, 1)}${dice.of(LOWER, 4)}`, '.'),
  'escaped JSON': (dice) => JSON.stringify(JSON.stringify({ text: dice.words(() => dice.of(LOWER, 4), '\n"\t') })),
  spaces: () => ' '.repeat(CHARACTERS),
  'spaces and line ends': (dice) => dice.of(' \n\t\r'),
  'prose in capitals': () => readFileSync(join(FOLDER, 'english.txt'), 'utf8').toUpperCase(),
  'rules of one sign': (dice) => dice.words(() => dice.of('-=*_#~.', 1).repeat(40 + dice.below(80)), '\n'),
  'long words': (dice) => dice.words(() => LONG_WORDS[dice.below(LONG_WORDS.length)] ?? '', ' '),
  'long words of Chinese pages': (dice) => dice.words(() => LONG_CHINESE[dice.below(LONG_CHINESE.length)] ?? '', ''),
  'numbers between words': (dice) => dice.words(() => `${dice.of(DIGITS, 9)} Grundstücksverkehrsgenehmigung`, ' '),
  'indented lines': (dice) => dice.words(() => `${' '.repeat(dice.below(60))}${dice.of(LOWER, 3)}`, '\n'),
  emoji: (dice) =>
    dice.from([
      [0x1f300, 0x1f64f],
      [0x1f680, 0x1f6ff],
      [0x1f900, 0x1f9ff],
    ]),
  'joined emoji': (dice) => dice.words(() => `👩${String.fromCodePoint(0x1f3fb + dice.below(5))}‍💻`, ''),
  'mathematical letters': (dice) => dice.from([[0x1d400, 0x1d7ff]]),
  'rare Chinese characters': (dice) =>
    dice.from([
      [0x20000, 0x2a6df],
      [0x3400, 0x4dbf],
    ]),
  'old scripts': (dice) =>
    dice.from([
      [0x12000, 0x12399],
      [0x13000, 0x1342f],
      [0x10330, 0x1034a],
      [0x16a0, 0x16ea],
    ]),
  'private use': (dice) =>
    dice.from([
      [0xe000, 0xf8ff],
      [0xf0000, 0xf1000],
    ]),
  'many scripts': (dice) =>
    dice.from([
      [0x10a0, 0x10ff],
      [0x530, 0x58f],
      [0x980, 0x9ff],
      [0xb80, 0xbff],
      [0x1200, 0x137f],
      [0x1780, 0x17ff],
    ]),
  'signs of many kinds': (dice) =>
    dice.from([
      [0x2190, 0x23ff],
      [0x2500, 0x27bf],
      [0x2a00, 0x2aff],
    ]),
  'letters with marks': (dice) => dice.words(() => dice.of(LOWER, 1) + dice.from([[0x300, 0x36f]], 2), ''),
  'letters taken apart': (dice) => dice.of('éèêëàâäöüçñåøœčšž').normalize('NFD'),
  'letters that grow in small': (dice) => dice.of('ȺȾ ', 600),
  'signs that grow when normalised': (dice) =>
    dice.from(
      [
        [0x1d15e, 0x1d164],
        [0x1d1bb, 0x1d1c0],
      ],
      200,
    ),
  'nothing to be seen': (dice) =>
    dice.from([
      [0x200b, 0x200f],
      [0x2060, 0x2064],
      [0xfe00, 0xfe0f],
      [0xe0020, 0xe007f],
    ]),
}
