// Rate limits of one key: requests per minute, tokens per minute, concurrent requests. All are checked before any is
// taken, so that a refused request costs nothing. The minute slides in steps of a second and is never exceeded in any
// 60 seconds; the time comes in as an argument.

import type { PackageLimits } from '#core/entities.ts'

const WINDOW_SECONDS = 60

/** A sum over the last 60 seconds in 60 slots, so that memory does not grow with the number of requests. */
type Window = { readonly slots: number[]; newestSecond: number; total: number }

export type LimitState = { readonly requests: Window; readonly tokens: Window; concurrent: number }

/** How one limit stands after a request: what headers and refusals report. */
export type LimitStanding = { readonly limit: number; readonly remaining: number; readonly resetMs: number }

export type LimitVerdict =
  { readonly type: 'free' } | { readonly type: 'full'; readonly limit: keyof PackageLimits; readonly waitMs: number }

export function newLimitState(): LimitState {
  return { requests: newWindow(), tokens: newWindow(), concurrent: 0 }
}

/** Whether one more request of `tokens` estimated input tokens fits. Takes nothing. */
export function checkLimits(state: LimitState, limits: PackageLimits, tokens: number, nowMs: number): LimitVerdict {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits
  if (concurrentRequests !== undefined && state.concurrent >= concurrentRequests) {
    // Nobody knows when a running request ends; a second is the shortest wait that Retry-After can say.
    return { type: 'full', limit: 'concurrentRequests', waitMs: 1000 }
  }
  if (requestsPerMinute !== undefined) {
    const waitMs = waitFor(state.requests, requestsPerMinute - 1, nowMs)
    if (waitMs > 0) return { type: 'full', limit: 'requestsPerMinute', waitMs }
  }
  if (tokensPerMinute !== undefined) {
    // A request larger than the whole limit could never pass; it is let through when the window is empty.
    const waitMs = waitFor(state.tokens, Math.max(0, tokensPerMinute - tokens), nowMs)
    if (waitMs > 0) return { type: 'full', limit: 'tokensPerMinute', waitMs }
  }
  return { type: 'free' }
}

/** Takes one request, its estimated tokens and a concurrency slot. */
export function takeLimits(state: LimitState, tokens: number, nowMs: number): void {
  add(state.requests, 1, nowMs)
  add(state.tokens, tokens, nowMs)
  state.concurrent += 1
}

/** Gives the slot back and corrects the tokens to what was really used. */
export function giveBackLimits(state: LimitState, takenTokens: number, usedTokens: number, nowMs: number): void {
  state.concurrent -= 1
  if (usedTokens > takenTokens) add(state.tokens, usedTokens - takenTokens, nowMs)
}

/** Takes back a request that was refused after all. */
export function untakeLimits(state: LimitState, takenTokens: number, nowMs: number): void {
  state.concurrent -= 1
  subtract(state.requests, 1, nowMs)
  subtract(state.tokens, takenTokens, nowMs)
}

export function requestStanding(state: LimitState, limit: number, nowMs: number): LimitStanding {
  return standing(state.requests, limit, nowMs)
}

export function tokenStanding(state: LimitState, limit: number, nowMs: number): LimitStanding {
  return standing(state.tokens, limit, nowMs)
}

function standing(window: Window, limit: number, nowMs: number): LimitStanding {
  advance(window, nowMs)
  return { limit, remaining: Math.max(0, limit - window.total), resetMs: waitFor(window, 0, nowMs) }
}

function newWindow(): Window {
  return { slots: Array.from({ length: WINDOW_SECONDS }, () => 0), newestSecond: 0, total: 0 }
}

function add(window: Window, amount: number, nowMs: number): void {
  advance(window, nowMs)
  const slot = window.newestSecond % WINDOW_SECONDS
  window.slots[slot] = (window.slots[slot] ?? 0) + amount
  window.total += amount
}

/** Takes from the newest slots first: what is taken back was added a moment ago. */
function subtract(window: Window, amount: number, nowMs: number): void {
  advance(window, nowMs)
  let rest = amount
  for (let age = 0; age < WINDOW_SECONDS && rest > 0; age++) {
    const slot = (window.newestSecond - age + WINDOW_SECONDS) % WINDOW_SECONDS
    const taken = Math.min(rest, window.slots[slot] ?? 0)
    window.slots[slot] = (window.slots[slot] ?? 0) - taken
    window.total -= taken
    rest -= taken
  }
}

/** Empties the slots that have slid out. A clock set back leaves the window as it is: it must not free anything. */
function advance(window: Window, nowMs: number): void {
  const second = Math.floor(nowMs / 1000)
  if (second - window.newestSecond >= WINDOW_SECONDS) {
    if (window.total !== 0) window.slots.fill(0)
    window.total = 0
    window.newestSecond = second
    return
  }
  while (window.newestSecond < second) {
    window.newestSecond += 1
    const slot = window.newestSecond % WINDOW_SECONDS
    window.total -= window.slots[slot] ?? 0
    window.slots[slot] = 0
  }
}

/** Milliseconds until the sum is at most `allowed`: until the end of the second whose going makes room. */
function waitFor(window: Window, allowed: number, nowMs: number): number {
  advance(window, nowMs)
  let total = window.total
  if (total <= allowed) return 0
  const oldest = window.newestSecond - WINDOW_SECONDS + 1
  for (let second = oldest; second <= window.newestSecond; second++) {
    total -= window.slots[((second % WINDOW_SECONDS) + WINDOW_SECONDS) % WINDOW_SECONDS] ?? 0
    if (total <= allowed) return Math.max(1, (second + WINDOW_SECONDS) * 1000 - nowMs)
  }
  return WINDOW_SECONDS * 1000
}
