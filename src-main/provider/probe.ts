// `farebox provider test`: what is wrong with a provider, in plain words, and what to do. It asks for the list of models, and
// only where that leaves something open a few more questions, all of which are free; one that may cost something is asked only
// where an administrator names a model for it. The secret goes nowhere but to the origin that it is bound to.

import type { Credentials } from '#core/credentials.ts'
import { SECRET_HEADERS, type Provider } from '#core/entities.ts'
import { UpstreamFailure } from '#core/failure.ts'
import { isDemo } from '#core/provider-dialect.ts'
import { SecretFailure } from '#core/secret-failure.ts'
import type { Form } from '#dialect/model-list.ts'
import { dialectOf, modelListOf } from '#dialect/dialects.ts'
import { membersOf } from '#core/members.ts'
import { jsonOf, type Answer, type NoAnswer, type WayOut } from '#provider/ask.ts'
import { givenHeaders, readCredentialsOf, secretHeaderOf, withToken, type NewTokens } from '#provider/authentication.ts'
import { guessBaseUrls } from '#provider/base-url-guess.ts'
import {
  errorLooksLike,
  isErrorInDisguise,
  isForeign,
  isHtml,
  isLoginPage,
  listLooksLike,
  refusesSecret,
  speaksOfSecret,
} from '#provider/look-alike.ts'
import { askForAnswer, askForModels, askForNothing, speaks, type Asking } from '#provider/probe-questions.ts'
import * as report from '#provider/probe-report.ts'
import type { ProbeResult } from '#provider/probe-report.ts'
import type { SecretKeeper } from '#secret/port.ts'

export type ProbeOptions = {
  readonly secrets: Pick<SecretKeeper, 'get' | 'known'>
  readonly newTokens: NewTokens
  readonly userAgent: string
  /** A model to ask for a few tokens. */
  readonly model?: string | undefined
  readonly connections: WayOut
  readonly timeLimitMs?: number
}

const CONNECT_TIMEOUT_MS = 5_000
const TIME_LIMIT_MS = 10_000

/** Never rejects for anything that the provider or the network does. */
export async function probeProvider(provider: Provider, options: ProbeOptions): Promise<ProbeResult> {
  if (isDemo(provider)) return report.works('The demo provider is built in and always answers.')
  const credentials = await readSecrets(provider, options.secrets)
  if ('ok' in credentials) return credentials
  const { connections, timeLimitMs = TIME_LIMIT_MS, userAgent } = options
  const { network } = provider
  const timeLimits = { connectMs: CONNECT_TIMEOUT_MS, ...provider.timeLimits }
  const dispatcherOf = (url: string) => connections.pool({ baseUrl: url, network, timeLimits })
  const shown = await readToken(provider, credentials.secret, options.newTokens)
  if ('ok' in shown) return shown
  const secrets = options.secrets.known(provider.id)
  const given = givenHeaders(provider, credentials)
  return probe({ ...shown, given, secrets, dispatcherOf, timeLimitMs, userAgent }, options.model)
}

/** What it is shown in place of a secret that gets tokens, or why there is none. */
async function readToken(provider: Provider, secret: string | undefined, newTokens: NewTokens) {
  try {
    return await withToken(provider, secret, newTokens)
  } catch (error) {
    if (error instanceof UpstreamFailure) return report.noToken(error)
    throw error
  }
}

/** What it is shown, or why there is nothing to try. */
async function readSecrets(provider: Provider, secrets: ProbeOptions['secrets']): Promise<Credentials | ProbeResult> {
  try {
    return (await readCredentialsOf(provider, secrets)) ?? report.secretGone()
  } catch (error) {
    if (error instanceof SecretFailure) return report.secretUnreadable(error.message)
    throw error
  }
}

async function probe(asking: Asking, model: string | undefined): Promise<ProbeResult> {
  if (modelListOf(asking.provider) === undefined) {
    return model === undefined ? report.noModelList() : tryModel(asking, model)
  }
  const answer = await askForModels(asking)
  if (answer.type === 'problem') return noConnection(asking, answer)
  const { status } = answer
  if (status >= 300 && status < 400) return redirected(asking, answer)
  if (refusesSecret(answer)) return judgeRefusal(asking, answer, model)
  if (status >= 200 && status < 300) return judgeList(asking, answer, model)
  if (isNotThere(status))
    return judgeMissing(asking, answer, { model, otherwise: report.wrongBaseUrl(status, undefined) })
  if (status === 400 && (await isHttpAtTlsPort(asking, answer))) return httpsExpected(asking)
  if (speaksOfSecret(answer) && (await isForAnySecret(asking, answer))) return judgeRefusal(asking, answer, model)
  const seen = errorLooksLike(jsonOf(answer))
  if (status < 402 && isForeign(seen, asking.provider)) return report.wrongDialect(asking.provider, seen)
  return report.otherStatus(status)
}

/** A server says least where TLS meets plain HTTP, so the other way is tried, without the secret. */
async function noConnection(asking: Asking, noAnswer: NoAnswer): Promise<ProbeResult> {
  const { baseUrl } = asking.provider
  const isPlain = baseUrl.startsWith('http:')
  const { problem, detail } = noAnswer
  const isOpen = problem === 'connection_closed' || problem === 'not_http' || problem === 'tls_failed'
  if (isOpen && isPlain && (await speaks('https:', asking))) return httpsExpected(asking)
  if (isOpen && !isPlain && (await speaks('http:', asking))) {
    return report.noAnswer({ problem: 'http_expected', detail }, baseUrl)
  }
  return report.noAnswer(noAnswer, baseUrl)
}

/** Many servers answer plain HTTP at a port for TLS with a 400 of their web server. */
async function isHttpAtTlsPort(asking: Asking, answer: Answer): Promise<boolean> {
  if (!asking.provider.baseUrl.startsWith('http:') || jsonOf(answer) !== undefined) return false
  return speaks('https:', asking)
}

function httpsExpected({ provider }: Asking): ProbeResult {
  return report.noAnswer({ problem: 'https_expected', detail: 'TLS' }, provider.baseUrl)
}

function redirected({ provider }: Asking, { status, headers }: Answer): ProbeResult {
  const target = URL.parse(headers['location'] ?? '', `${provider.baseUrl}/models`)
  return report.redirects(status, headers['location'] === undefined || target === null ? undefined : target)
}

/** A good status. A list says nothing of calls, so that a model that is named is asked as well. */
async function judgeList(asking: Asking, answer: Answer, model: string | undefined): Promise<ProbeResult> {
  const seen = listLooksLike(jsonOf(answer))
  if (seen === undefined) return judgeOddAnswer(asking, answer, model)
  const result = await judgeListed(asking, seen)
  return result.ok && model !== undefined
    ? tryModel(asking, model, 'It answers, and so does the model that you named.')
    : result
}

/** Whether the dialect and the secret are right as well, the list may not tell. */
async function judgeListed(asking: Asking, seen: Form): Promise<ProbeResult> {
  const { provider, secret } = asking
  const foreign = isForeign(seen, provider)
  // Such lists are like no other, and never open.
  if (namesModelInPath(provider)) return foreign ? report.wrongDialect(provider, seen) : answers(asking)
  const isOpen = secret !== undefined && (await isOpenToAll(asking))
  // A dialect whose lists are in the form of another one is not shown by its list.
  const isUnsure = foreign || seen.dialect !== provider.dialect
  if (!isUnsure && !isOpen) return answers(asking)
  const place = placeOf(await askForNothing(asking))
  if (place === 'refused') return refused(asking, 401)
  if (place === 'missing' && isUnsure) return report.wrongDialect(provider, seen)
  if (place === 'there' || !isOpen) return answers(asking)
  return report.works('It answers. Its list of models is open to everybody, so that the secret could not be checked.')
}

function answers({ secret }: Asking): ProbeResult {
  return report.works(secret === undefined ? 'It answers, and wants no secret.' : 'It answers and accepts the secret.')
}

/** A good status with something else than a list of models. */
async function judgeOddAnswer(asking: Asking, answer: Answer, model: string | undefined): Promise<ProbeResult> {
  if (isLoginPage(answer)) return report.loginPage()
  const value = jsonOf(answer)
  if (isHtml(answer)) return judgeMissing(asking, answer, { model, otherwise: report.htmlPage() })
  if (value === undefined) return judgeMissing(asking, answer, { model, otherwise: report.notJson() })
  const isError = isErrorInDisguise(value)
  const otherwise = isError ? report.wrongBaseUrl(answer.status, undefined) : report.unknownAnswer()
  return judgeMissing(asking, answer, { model, otherwise })
}

/** There is no list here: is the base URL wrong, or does this provider have none? */
async function judgeMissing(
  asking: Asking,
  answer: Answer,
  { model, otherwise }: { readonly model: string | undefined; readonly otherwise: ProbeResult },
): Promise<ProbeResult> {
  const { provider } = asking
  const place = namesModelInPath(provider) ? 'missing' : placeOf(await askForNothing(asking))
  if (place === 'refused') return refused(asking, 401)
  if (place === 'there') return model === undefined ? report.noModelList() : tryModel(asking, model)
  const guess = await likelyBaseUrl(asking)
  if (guess !== undefined) return report.wrongBaseUrl(answer.status, guess)
  const seen = errorLooksLike(jsonOf(answer))
  if (isForeign(seen, provider)) return report.wrongDialect(provider, seen)
  return namesModelInPath(provider) && model !== undefined ? tryModel(asking, model) : otherwise
}

/** The first other base URL of the same origin that has the list of models, or asks for a secret in front of it. */
async function likelyBaseUrl(asking: Asking): Promise<string | undefined> {
  const { provider } = asking
  for (const guess of guessBaseUrls(provider)) {
    const answer = await askForModels(asking, { baseUrl: guess })
    if (answer.type === 'problem') return undefined
    const value = jsonOf(answer)
    const seen = answer.status < 300 ? listLooksLike(value) : undefined
    const isLocked = refusesSecret(answer) && value !== undefined && !isForeign(errorLooksLike(value), provider)
    if (isLocked || (seen !== undefined && !isForeign(seen, provider))) return guess
  }
  return undefined
}

/** It says no to the secret, or to there being none: is it the secret, its header, or the dialect? */
async function judgeRefusal(asking: Asking, answer: Answer, model: string | undefined): Promise<ProbeResult> {
  const { provider, secret } = asking
  if (isLoginPage(answer)) return report.loginPage()
  const seen = errorLooksLike(jsonOf(answer))
  if (isForeign(seen, provider) && (await isCertainlyForeign(asking, seen))) {
    return report.wrongDialect(provider, seen)
  }
  if (secret === undefined) return report.secretMissing(answer.status)
  // Elsewhere this status means something else, and a secret that is right must not be called wrong.
  if (answer.status === 400 && !(await isNoBetter(asking, answer))) return report.otherStatus(answer.status)
  if (answer.status === 403 && model !== undefined) return tryModel(asking, model)
  return (await otherHeader(asking)) ?? report.secretRefused(answer.status)
}

/** Whether a server that wants a secret says the same of another one. One that finds something else wrong first says it to all. */
async function isForAnySecret(asking: Asking, answer: Answer): Promise<boolean> {
  if (asking.secret === undefined) return false
  const without = await askForModels({ ...asking, secret: undefined })
  if (without.type === 'problem' || (without.status !== 401 && without.status !== 403)) return false
  return isNoBetter(asking, answer)
}

/** Whether a secret that is plainly another gets the same answer, so that ours is none that is known there. */
async function isNoBetter(asking: Asking, { status, text }: Answer): Promise<boolean> {
  const other = await askForModels({ ...asking, secret: OTHER_SECRET })
  return other.type === 'answer' && other.status === status && gistOf(other.text) === gistOf(text)
}

/** Nobody's secret, in the form that most have. */
const OTHER_SECRET = 'sk-not-a-secret-of-anybody-0000'

/** What an error says without what is another in each: the secret that it repeats, its end or its hash, ids and times. */
function gistOf(text: string): string {
  const unsecret = text.replaceAll(/\[secret\]|\bsk-[^\s"',]*/g, '')
  return unsecret.replaceAll(/[\w*.:-]+/g, (word) => (/\d/.test(word) ? '' : word))
}

/** Everybody uses OpenAI's form of errors now and then. */
async function isCertainlyForeign(asking: Asking, seen: Form | undefined): Promise<boolean> {
  return seen?.isProof?.(asking.provider.baseUrl) ?? placeOf(await askForNothing(asking)) === 'missing'
}

/** Whether the same secret is taken in another header. */
async function otherHeader(asking: Asking): Promise<ProbeResult | undefined> {
  const { provider } = asking
  const sent = secretHeaderOf(provider)
  // Where no secret is needed at all, another header only means that none was seen.
  if (await isOpenToAll(asking)) return undefined
  for (const secretHeader of SECRET_HEADERS) {
    if (secretHeader === sent) continue
    const answer = await askForModels(asking, { secretHeader })
    if (answer.type === 'problem') return undefined
    const seen = answer.status < 300 ? listLooksLike(jsonOf(answer)) : undefined
    if (seen === undefined) continue
    const isOther = isForeign(seen, provider) && placeOf(await askForNothing(asking, secretHeader)) === 'missing'
    return isOther ? report.wrongDialect(provider, seen) : report.secretInWrongHeader(secretHeader, sent)
  }
  return undefined
}

/** Whether only the list of models tells what is there. */
function namesModelInPath(provider: Provider): boolean {
  return dialectOf(provider).probe.namesModelInPath === true
}

async function isOpenToAll(asking: Asking): Promise<boolean> {
  const answer = await askForModels({ ...asking, secret: undefined })
  return answer.type === 'answer' && answer.status < 300 && listLooksLike(jsonOf(answer)) !== undefined
}

const NO_LIST = 'It has no list of models to ask for, but the model that you named answers.'

/** `says`: what is told where it answers. */
async function tryModel(asking: Asking, model: string, says = NO_LIST): Promise<ProbeResult> {
  const answer = await askForAnswer(asking, model)
  if (answer.type === 'problem') return noConnection(asking, answer)
  const { status } = answer
  const value = jsonOf(answer)
  if (refusesSecret(answer)) return refused(asking, status)
  if (status >= 300 && status < 400) return redirected(asking, answer)
  if (isNotThere(status) || isModelUnknown(value)) return report.modelUnknown()
  if (status >= 300) return report.otherStatus(status)
  if (value === undefined) return isHtml(answer) ? report.htmlPage() : report.notJson()
  if (isErrorInDisguise(value)) return report.unknownAnswer()
  return report.works(says)
}

function refused({ secret }: Asking, status: number): ProbeResult {
  return secret === undefined ? report.secretMissing(status) : report.secretRefused(status)
}

/** What a request without any content tells about the place that it was sent to. */
function placeOf(answer: Answer | NoAnswer): 'there' | 'missing' | 'refused' | 'unclear' {
  if (answer.type === 'problem') return 'unclear'
  const value = jsonOf(answer)
  if (refusesSecret(answer)) return 'refused'
  if (isNotThere(answer.status)) return isModelUnknown(value) ? 'there' : 'missing'
  if (isHtml(answer) || (answer.status >= 300 && answer.status < 400)) return 'missing'
  if (answer.status < 300) return value === undefined || isErrorInDisguise(value) ? 'missing' : 'there'
  return answer.status === 400 || answer.status === 422 || answer.status >= 500 ? 'there' : 'unclear'
}

function isNotThere(status: number): boolean {
  return status === 404 || status === 405 || status === 410 || status === 501
}

function isModelUnknown(value: unknown): boolean {
  return membersOf(membersOf(value)['error'])['code'] === 'model_not_found'
}
