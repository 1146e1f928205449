// Rate limits of one key: requests per minute, tokens per minute, concurrent requests. All are checked before any is
// taken, so that a refused request costs nothing. The minute slides in steps of a second and is never exceeded in any
// 60 seconds, wherever in a second they begin; the time comes in as an argument.

import type { PackageLimits } from '#core/entities.ts'

/** 60 seconds that begin within one second reach into a 61st: what was taken late in a second leaves a minute after it. */
const SLOTS = 61

/** A sum over the last minute in slots of a second, so that memory does not grow with the number of requests. */
type Window = { readonly slots: number[]; newestSecond: number; total: number }

export type LimitState = { readonly requests: Window; readonly tokens: Window; concurrent: number }

/** What a request took, and when. */
export type TakenLimits = { readonly tokens: number; readonly atMs: number }

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
    // The end of a running request is not known; a second is the shortest wait that Retry-After can express.
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

/** Gives the slot back and adds the tokens that were used beyond the estimate. */
export function giveBackLimits(state: LimitState, takenTokens: number, usedTokens: number, nowMs: number): void {
  state.concurrent -= 1
  addTokens(state, usedTokens - takenTokens, nowMs)
}

/** Adds tokens that a request used beyond what it took, once that is known. */
export function addTokens(state: LimitState, tokens: number, nowMs: number): void {
  if (tokens > 0) add(state.tokens, tokens, nowMs)
}

/** Takes back a request that was refused after all. */
export function untakeLimits(state: LimitState, taken: TakenLimits, nowMs: number): void {
  state.concurrent -= 1
  subtract(state.requests, { tokens: 1, atMs: taken.atMs }, nowMs)
  subtract(state.tokens, taken, nowMs)
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
  return { slots: Array.from({ length: SLOTS }, () => 0), newestSecond: 0, total: 0 }
}

function slotOf(second: number): number {
  return ((second % SLOTS) + SLOTS) % SLOTS
}

function add(window: Window, amount: number, nowMs: number): void {
  advance(window, nowMs)
  const slot = slotOf(window.newestSecond)
  window.slots[slot] = (window.slots[slot] ?? 0) + amount
  window.total += amount
}

/** Takes from the second to which it was added, so that what others took leaves no earlier than it would have. */
function subtract(window: Window, { tokens, atMs }: TakenLimits, nowMs: number): void {
  advance(window, nowMs)
  const second = Math.min(Math.floor(atMs / 1000), window.newestSecond)
  if (window.newestSecond - second >= SLOTS) return
  const slot = slotOf(second)
  const taken = Math.min(tokens, window.slots[slot] ?? 0)
  window.slots[slot] = (window.slots[slot] ?? 0) - taken
  window.total -= taken
}

/** Empties the slots that have slid out. */
function advance(window: Window, nowMs: number): void {
  const second = Math.floor(nowMs / 1000)
  if (second < window.newestSecond - 1) setBack(window, second + 1)
  if (second - window.newestSecond >= SLOTS) {
    if (window.total !== 0) window.slots.fill(0)
    window.total = 0
    window.newestSecond = second
    return
  }
  while (window.newestSecond < second) {
    window.newestSecond += 1
    const slot = slotOf(window.newestSecond)
    window.total -= window.slots[slot] ?? 0
    window.slots[slot] = 0
  }
}

/**
 * A clock that is set back frees nothing, and holds nothing up until it has caught up: everything keeps its age. `second` is
 * the next one, because ages are whole seconds and the clock may now stand later in its second than it did.
 */
function setBack(window: Window, second: number): void {
  const slots = window.slots.slice()
  for (let age = 0; age < SLOTS; age++)
    window.slots[slotOf(second - age)] = slots[slotOf(window.newestSecond - age)] ?? 0
  window.newestSecond = second
}

/** Milliseconds until the sum is at most `allowed`: until the end of the second whose going makes room. */
function waitFor(window: Window, allowed: number, nowMs: number): number {
  advance(window, nowMs)
  let total = window.total
  if (total <= allowed) return 0
  const oldest = window.newestSecond - SLOTS + 1
  for (let second = oldest; second <= window.newestSecond; second++) {
    total -= window.slots[slotOf(second)] ?? 0
    if (total <= allowed) return Math.max(1, (second + SLOTS) * 1000 - nowMs)
  }
  return SLOTS * 1000
}
