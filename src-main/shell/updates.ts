// When Farebox looks for updates and what it does with one. Nothing is ever installed without being asked, and only a build that
// was signed by us replaces itself: whoever could swap an unsigned update for another one would own the machine.

export type Build = {
  /** Whether it runs from a package rather than from a clone. */
  readonly isPackaged: boolean
  readonly isSigned: boolean
  /** How it was installed. The package manager of a system replaces its own. */
  readonly kind: 'dmg' | 'nsis' | 'appimage' | 'deb' | 'rpm' | 'other'
  readonly version: string
}

export type NoUpdates = 'clone' | 'feed'

export type UpdatePolicy =
  /** Downloads and installs, each when asked. */
  | { readonly type: 'self' }
  /** Only says that there is one and where. */
  | { readonly type: 'tell'; readonly why: string }
  /** Not even looked for: it runs from a clone, which git updates, or the build names no feed. */
  | { readonly type: 'none'; readonly why: NoUpdates }

/** What a look at the feed found. */
export type Looked =
  | { readonly type: 'nothing' }
  /** Something whose signature is not ours. Nothing of it was read. */
  | { readonly type: 'foreign' }
  | {
      readonly type: 'offer'
      readonly version: string
      /** Whether our signature over it was checked; false in a build that has no key to check it with. */
      readonly isChecked: boolean
      /** Whether it has a package for this system. */
      readonly hasPackage: boolean
    }

/** What looks for updates and installs them. Methods reject when they cannot, with an `UpdateProblem` where a person should read why. */
export type Updater = {
  /** Asks the feed once. Downloads nothing. */
  look(): Promise<Looked>
  /** Fetches what was offered last and checks it again. */
  download(): Promise<void>
  /**
   * Hands over to what replaces the program, to be called after everything else has been ended. Electron then quits by itself, so that
   * this resolves never; it rejects when the program could not be replaced.
   */
  install(): Promise<never>
}

/** The message is a sentence for a person. */
export class UpdateProblem extends Error {
  override readonly name = 'UpdateProblem'
}

export type UpdateState =
  | { readonly type: 'none'; readonly why: NoUpdates }
  | { readonly type: 'idle' }
  | { readonly type: 'looking' }
  | { readonly type: 'current' }
  | { readonly type: 'offered'; readonly version: string; readonly canInstall: boolean }
  | { readonly type: 'downloading'; readonly version: string }
  | { readonly type: 'ready'; readonly version: string }
  | { readonly type: 'failed'; readonly message: string }

const DAY_MS = 86_400_000

export function updatePolicy({ isPackaged, isSigned, kind }: Build): UpdatePolicy {
  if (!isPackaged) return { type: 'none', why: 'clone' }
  if (kind === 'deb' || kind === 'rpm') return { type: 'tell', why: `the ${kind} package is updated by your system` }
  if (kind === 'other') return { type: 'tell', why: 'it is not known how it was installed' }
  return isSigned ? { type: 'self' } : { type: 'tell', why: 'this build is not signed' }
}

/** Whether to look at all: when a person asks, and once a day where that was switched on. */
export function mayLook(
  policy: UpdatePolicy,
  occasion: 'asked' | 'timer',
  { isDaily, lastLookMs, nowMs }: { isDaily: boolean; lastLookMs: number | undefined; nowMs: number },
): boolean {
  if (policy.type === 'none') return false
  if (occasion === 'asked') return true
  if (!isDaily) return false
  // A clock that was set back must not keep it from looking for ever.
  return lastLookMs === undefined || nowMs - lastLookMs >= DAY_MS || nowMs < lastLookMs
}

/** What becomes of what was found. A version that is older or the same is treated as none. */
export function judge(looked: Looked, build: Build): UpdateState {
  if (looked.type === 'foreign') {
    return {
      type: 'failed',
      message: 'An update was offered that the project of Farebox did not sign. It was ignored.',
    }
  }
  if (looked.type === 'nothing' || !isNewer(looked.version, build.version)) return { type: 'current' }
  const { version, isChecked, hasPackage } = looked
  return { type: 'offered', version, canInstall: isChecked && hasPackage && updatePolicy(build).type === 'self' }
}

/** By the order of semantic versions; false for what is not one. */
export function isNewer(offered: string, present: string): boolean {
  const left = versionOf(offered)
  const right = versionOf(present)
  if (left === undefined || right === undefined) return false
  for (const index of [0, 1, 2]) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return isLaterRelease(left.early, right.early)
}

type Version = { readonly numbers: readonly number[]; readonly early: readonly string[] }

function versionOf(text: string): Version | undefined {
  const found = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$/.exec(text)
  if (found === null) return undefined
  return { numbers: [1, 2, 3].map((index) => Number(found[index])), early: found[4]?.split('.') ?? [] }
}

/** A version without anything behind the dash is later than all that lead to it. */
function isLaterRelease(left: readonly string[], right: readonly string[]): boolean {
  if (left.length === 0 || right.length === 0) return right.length > 0
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [a, b] = [left[index], right[index]]
    if (a === b) continue
    if (a === undefined || b === undefined) return b === undefined
    const isNumber = [a, b].map((part) => /^\d+$/.test(part))
    if (isNumber[0] === true && isNumber[1] === true) return Number(a) > Number(b)
    if (isNumber[0] !== isNumber[1]) return isNumber[1] === true
    return a > b
  }
  return false
}
