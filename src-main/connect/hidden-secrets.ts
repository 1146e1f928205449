// Secrets of a settings file that a difference would show, its unchanged lines too. They are found by what stands before them and by how they
// look: what is hidden for nothing costs a look into the file, and what is shown may end up in somebody else's hands.

const HIDDEN = '••••••'

const SECRET_NAME = '(?:key|token|secret|passw(?:or)?d|passphrase|pwd|authorization|credentials?|cookie)'

/** Of a value that is a reference to a secret everything can be seen: a variable, a file, or the command that prints it. */
const REFERENCE = /^(?:\{(?:env|file):[^}]*\}|\$\{[\w:.-]+\}|\$\w+|<[^<>]*>|!\w+ .*)$/

/** The name of a member or variable, and its whole value in quotes. */
const QUOTED_MEMBER = new RegExp(
  String.raw`(\b[\w.-]{0,64}${SECRET_NAME}["']?[ \t]*[:=][ \t]*)("(?:[^"\\\n]|\\.)*"|'[^'\n]*')`,
  'gi',
)
/** The same with a value that goes to the end of its line. */
const BARE_MEMBER = new RegExp(
  String.raw`^([ +-][ \t]*(?:export[ \t]+|- )?[\w.-]{0,64}${SECRET_NAME}[ \t]*(?:=|:[ \t])[ \t]*)([^\s"'{[|>&*#].*)$`,
  'gim',
)
/** The option of a command, in a list of its words, and the word behind it, which may be on the next line. */
const OPTION = new RegExp(
  String.raw`(["']-{1,2}[\w-]{0,64}${SECRET_NAME}["'][ \t]*,[ \t]*(?:\r?\n[ +-][ \t]*)?)("(?:[^"\\\n]|\\.)*"|'[^'\n]*')`,
  'gi',
)
/** Anything else that is called like a secret. */
const SECRET_MEMBER =
  /((?:key|token|secret|password|authorization|credential)\w{0,64}["']?[ \t]*[:=][ \t]*["']?)([^\s"',<{$}][^\s"',}]{7,})/gi

/** What follows these words in a header is a secret whatever it looks like. */
const SECRET_HEADER = /\b((?:Bearer|Basic)[ \t]+)[^\s"',}]{8,}/gi

/** Who signs in to an address, before its host. */
const USER_OF_ADDRESS = /\b([a-z][a-z\d+.-]{1,20}:\/\/)[^\s/@"'<>?#]+@/gi

/** Keys of Farebox and of well-known services, by how they begin. */
const SECRET_WORD =
  /(?<![\w-])(?:key_[0-9A-Za-z]{38}|(?:sk-|gh[oprsu]_|github_pat_|xox[a-z]-|AIza|glpat-|hf_|gsk_|xai-|whsec_|eyJ)[\w-]{8,})(?![\w-])/g

/** A line of a key in PEM. */
const PEM_LINE = /^([ +-][ \t]*)[A-Za-z\d+/]{60,}={0,2}[ \t]*$/gm

/** A difference without `secrets`, and without what looks like one. */
export function withoutSecrets(diff: string, secrets: readonly string[]): string {
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), diff)
  return shown
    .replace(QUOTED_MEMBER, hideQuoted)
    .replace(OPTION, hideQuoted)
    .replace(BARE_MEMBER, (_, name: string, value: string) => `${name}${hiddenUnlessReference(value)}`)
    .replace(SECRET_HEADER, (_, word: string) => `${word}${HIDDEN}`)
    .replace(USER_OF_ADDRESS, (_, scheme: string) => `${scheme}${HIDDEN}@`)
    .replace(SECRET_WORD, HIDDEN)
    .replace(SECRET_MEMBER, (_, name: string) => `${name}${HIDDEN}`)
    .replace(PEM_LINE, (_, indent: string) => `${indent}${HIDDEN}`)
}

function hideQuoted(_: string, name: string, quoted: string): string {
  const mark = quoted.slice(0, 1)
  return `${name}${mark}${hiddenUnlessReference(quoted.slice(1, -1))}${mark}`
}

function hiddenUnlessReference(value: string): string {
  return value === '' || REFERENCE.test(value) ? value : HIDDEN
}
