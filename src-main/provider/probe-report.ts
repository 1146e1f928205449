// What the test of a provider says to people: for each problem a sentence of what is wrong and one of what to do. Nothing that
// the provider said is repeated, because it may quote the secret; of another address only the origin and the path are shown.

import type { Provider, SecretHeader } from '#core/entities.ts'
import type { UpstreamFailure } from '#core/failure.ts'
import type { ProviderProblem } from '#core/provider-problems.ts'
import { USUAL_DIALECT } from '#core/provider-dialect.ts'
import type { Form } from '#dialect/model-list.ts'
import type { ConnectionProblem } from '#provider/connection-problem.ts'

export type ProbeResult = {
  readonly ok: boolean
  readonly message: string
  /** null where nothing is wrong, as is the advice. */
  readonly problem: ProviderProblem | null
  readonly advice: string | null
}

type Report = { readonly message: string; readonly advice: string }

export function works(message: string): ProbeResult {
  return { ok: true, message, problem: null, advice: null }
}

function fails(problem: ProviderProblem, { message, advice }: Report): ProbeResult {
  return { ok: false, message, problem, advice }
}

/** Why no answer came. */
export function noAnswer({ problem, detail }: ConnectionProblem, baseUrl: string): ProbeResult {
  const { hostname, host } = new URL(baseUrl)
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  const report = CONNECTION_REPORTS[problem]
  if (problem === 'address_not_allowed') {
    return fails(problem, { message: detail, advice: "Look at the base URL and at 'network' of this provider." })
  }
  if (report !== undefined) return fails(problem, report({ hostname, host, isLocal }))
  return fails(problem, {
    message: `The connection to ${host} failed (${detail}).`,
    advice: 'Check the base URL and the network.',
  })
}

type ProbedHost = { readonly hostname: string; readonly host: string; readonly isLocal: boolean }

const CONNECTION_REPORTS: Readonly<Partial<Record<ProviderProblem, (place: ProbedHost) => Report>>> = {
  name_not_found: ({ hostname }) => ({
    message: `There is no host named ${hostname}.`,
    advice: 'Check the spelling of the base URL. If it is right, this network may not know the name.',
  }),
  name_server: ({ hostname }) => ({
    message: `The name ${hostname} cannot be looked up now.`,
    advice: 'The name server does not answer: check that this machine is online, and try again.',
  }),
  connection_refused: ({ host, isLocal }) => ({
    message: `Nothing listens at ${host}.`,
    advice: isLocal
      ? 'Is the server running, and on this port? Start it and test again.'
      : 'Check the host and the port of the base URL, and whether a firewall is in between.',
  }),
  unreachable: ({ host }) => ({
    message: `${host} cannot be reached from this machine.`,
    advice: 'Check that this machine is online, and the VPN if the host is behind one.',
  }),
  connect_timeout: ({ host }) => ({
    message: `${host} does not take connections in time.`,
    advice: 'Check the host and the port of the base URL, and whether a firewall is in between.',
  }),
  answer_timeout: ({ host, isLocal }) => ({
    message: `${host} takes the connection and then does not answer in time.`,
    advice: isLocal ? 'Is it busy, or still loading a model? Try again.' : 'Try again; if it stays, ask the provider.',
  }),
  connection_closed: ({ host }) => ({
    message: `${host} closes the connection without an answer.`,
    advice: 'Check the port of the base URL; something else may listen there, or a firewall ends the connection.',
  }),
  not_http: ({ host }) => ({
    message: `What listens at ${host} does not speak HTTP.`,
    advice: 'Check the port of the base URL.',
  }),
  tls_expired: ({ hostname }) => ({
    message: `The certificate of ${hostname} has expired.`,
    advice: "Check this machine's clock. If it is right, whoever runs the server must renew the certificate.",
  }),
  tls_not_yet_valid: ({ hostname }) => ({
    message: `The certificate of ${hostname} is not valid yet.`,
    advice: "Check this machine's clock.",
  }),
  tls_self_signed: ({ hostname }) => ({
    message: `${hostname} has a certificate that it signed itself, so nobody vouches for it.`,
    advice:
      'If it is your own server, give its certificate to Farebox with the variable NODE_EXTRA_CA_CERTS, or use http:// on this machine. If not, somebody may be in between.',
  }),
  tls_unknown_issuer: ({ hostname }) => ({
    message: `The certificate of ${hostname} comes from an issuer that is not known here.`,
    advice:
      "If a company's proxy is in between, give its root certificate to Farebox with the variable NODE_EXTRA_CA_CERTS.",
  }),
  tls_wrong_host: ({ hostname }) => ({
    message: `The certificate at ${hostname} is for another host name.`,
    advice: 'Use the name that the certificate is for in the base URL.',
  }),
  tls_failed: ({ host }) => ({
    message: `No encrypted connection to ${host} could be made.`,
    advice: 'Check the port of the base URL, and whether the server speaks TLS 1.2 or 1.3.',
  }),
  https_expected: ({ host }) => ({
    message: `${host} wants encrypted connections, and the base URL begins with http://.`,
    advice: 'Let the base URL begin with https://.',
  }),
  http_expected: ({ host }) => ({
    message: `${host} does not speak TLS, and the base URL begins with https://.`,
    advice: 'If it is a server on this machine or network, let the base URL begin with http://.',
  }),
  secret_malformed: () => ({
    message: 'The secret has characters that no header can carry, such as a line end.',
    advice: "Set it again with 'farebox provider secret'.",
  }),
}

export function secretGone(): ProbeResult {
  return fails('secret_gone', {
    message: 'Its secret is not there any more.',
    advice: "Set it again with 'farebox provider secret'.",
  })
}

/** `reason` is a sentence of ours that says what to do as well. */
export function secretUnreadable(reason: string): ProbeResult {
  return fails('secret_unreadable', { message: 'Its secret cannot be read at the moment.', advice: reason })
}

/** Its token endpoint, which is another host than its own, has something against the secret, or does not answer. */
export function noToken({ kind, message }: UpstreamFailure): ProbeResult {
  const isRefused = kind === 'secret'
  return fails(isRefused ? 'secret_refused' : 'no_token', {
    message,
    advice: isRefused
      ? "Make sure that what is in the secret has not been revoked or run out, and set it again with 'farebox provider secret'."
      : 'Check that this machine reaches the token endpoint, and the address of it if the secret names one.',
  })
}

export function secretMissing(status: number): ProbeResult {
  return fails('secret_missing', {
    message: `It wants a secret and none is set (${status}).`,
    advice: "Set one with 'farebox provider secret'.",
  })
}

export function secretRefused(status: number): ProbeResult {
  return fails('secret_refused', {
    message: `It refuses the secret (${status}).`,
    advice:
      status === 403
        ? 'Check at the provider what this secret may do and from where. Else set another one with ' +
          "'farebox provider secret'."
        : "Make sure that it is of this provider and not revoked, and set it again with 'farebox provider secret'.",
  })
}

export function secretInWrongHeader(header: SecretHeader, sent: string): ProbeResult {
  return fails('secret_header', {
    message: `It takes the secret in the header ${header}, and not in ${sent}.`,
    advice: `Set 'secret_header: ${header}' for this provider.`,
  })
}

export function wrongBaseUrl(status: number, suggestion: string | undefined): ProbeResult {
  return fails('base_url', {
    message: `There is no API at this base URL (${status}).`,
    advice:
      suggestion === undefined
        ? 'Check its path. Most end in /v1, and none in the name of an endpoint.'
        : `Set 'base_url: ${suggestion}' for this provider: there the API answers.`,
  })
}

export function wrongDialect(provider: Provider, seen: Form | undefined): ProbeResult {
  const dialect = seen?.dialect ?? USUAL_DIALECT
  return fails('wrong_dialect', {
    message:
      seen === undefined
        ? `It does not know the requests of the dialect '${provider.dialect}'.`
        : `It answers in the dialect '${seen.dialect}', and is set up as '${provider.dialect}'.`,
    advice: `Set 'dialect: ${dialect}' for this provider, or the base URL at which it speaks '${provider.dialect}'.`,
  })
}

/** Only origin and path of the target: what is after them can be anything, a session included. */
export function redirects(status: number, target: URL | undefined): ProbeResult {
  const where = target === undefined ? 'elsewhere' : `to ${target.origin}`
  const base = target?.pathname.match(/^(.*)\/models\/?$/)?.[1]
  const isUsable = target !== undefined && /^https?:$/.test(target.protocol) && base !== undefined
  return fails('redirect', {
    message: `It redirects ${where} (${status}), which is never followed, so that no secret goes where a provider points.`,
    advice: isUsable
      ? `If you trust that address, set 'base_url: ${target.origin}${base}' for this provider.`
      : 'Set the base URL to the final address of the API. A redirect to a login page comes from a proxy in between.',
  })
}

export function htmlPage(): ProbeResult {
  return fails('html_page', {
    message: 'It answers with a web page and not with an API.',
    advice: "The base URL is that of a website: look the API's address up in the provider's documentation.",
  })
}

export function loginPage(): ProbeResult {
  return fails('login_page', {
    message: 'What answers is a page to log in, probably of a proxy or a network in between.',
    advice: 'Log in to the network with a browser, or ask whoever runs the proxy, and test again.',
  })
}

export function notJson(): ProbeResult {
  return fails('not_json', {
    message: 'It answers with something that is not JSON.',
    advice: 'Check the base URL: something else than a provider of models may answer there.',
  })
}

export function unknownAnswer(): ProbeResult {
  return fails('unknown_answer', {
    message: 'It answers in JSON, but not with a list of models.',
    advice: 'Check the base URL and the dialect.',
  })
}

export function noModelList(): ProbeResult {
  return fails('no_model_list', {
    message: 'Its base URL is right, but it has no list of models, so nothing more can be found out for free.',
    advice: "Name one of its models: 'farebox provider test NAME --model MODEL' asks it for a few tokens.",
  })
}

export function modelUnknown(): ProbeResult {
  return fails('model_unknown', {
    message: 'It does not know this model.',
    advice: "Look its name up in the provider's documentation, and whether this account may use it.",
  })
}

/** What the status alone says. */
export function otherStatus(status: number): ProbeResult {
  if (status === 402) {
    return fails('no_credit', {
      message: 'It says that the account has no credit (402).',
      advice: 'Look at the account at the provider.',
    })
  }
  if (status === 429) {
    return fails('rate_limited', {
      message: 'It can be reached, but has had too many requests or the quota is used up (429).',
      advice: "Wait and test again. If it stays, look at the account's limits at the provider.",
    })
  }
  if (status === 407 || status === 511) return loginPage()
  if (status >= 500) {
    return fails('provider_error', {
      message: `It can be reached, but is not well (${status}).`,
      advice: 'Wait and test again. A local server may still be loading its model.',
    })
  }
  return fails('request_refused', {
    message: `It refuses the request (${status}).`,
    advice: 'Check the base URL and the dialect.',
  })
}
