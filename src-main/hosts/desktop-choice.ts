// Whether `farebox start` shows the tray app or runs without one, decided from what is known without looking at anything.

import type { Environment } from '#config/settings.ts'

export type Surroundings = {
  /** The flags of the start. */
  readonly argv: readonly string[]
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** Whether the process belongs to root, where there is such a user. */
  readonly isRoot: boolean
}

export type Choice =
  | { readonly type: 'desktop' }
  /** `why` completes "without a tray icon: …"; undefined where it was asked for. */
  | { readonly type: 'headless'; readonly why: string | undefined }

export function chooseHost({ argv, env, platform, isRoot }: Surroundings): Choice {
  if (argv.includes('--headless')) return { type: 'headless', why: undefined }
  // Programs read that line, and end what they started by its process id.
  if (argv.includes('--json')) return { type: 'headless', why: 'a start with --json has none' }
  if (platform === 'darwin' || platform === 'win32') {
    const isRemote = platform === 'darwin' && isSet(env['SSH_CONNECTION'])
    return isRemote ? { type: 'headless', why: 'this is a session over SSH' } : { type: 'desktop' }
  }
  if (platform !== 'linux') return { type: 'headless', why: `there is none for ${platform}` }
  if (!isSet(env['DISPLAY']) && !isSet(env['WAYLAND_DISPLAY'])) return { type: 'headless', why: 'there is no display' }
  // Chromium's sandbox does not work for root, and Farebox does not do without it.
  return isRoot ? { type: 'headless', why: 'this is root, for whom Electron has no sandbox' } : { type: 'desktop' }
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}
