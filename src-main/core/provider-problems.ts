// What the test of a provider can find wrong, as names for programs. The sentences for people are in provider/.

export const PROVIDER_PROBLEMS = [
  // No connection, or nothing usable on it.
  'name_not_found',
  'name_server',
  'connection_refused',
  'unreachable',
  'connect_timeout',
  'answer_timeout',
  'connection_closed',
  'not_http',
  'address_not_allowed',
  'connection_failed',
  // Encryption.
  'tls_expired',
  'tls_not_yet_valid',
  'tls_self_signed',
  'tls_unknown_issuer',
  'tls_wrong_host',
  'tls_failed',
  'https_expected',
  'http_expected',
  // The secret.
  'secret_gone',
  'secret_unreadable',
  'secret_malformed',
  'secret_missing',
  'secret_refused',
  'secret_header',
  'no_token',
  // The base URL and the dialect.
  'base_url',
  'wrong_dialect',
  'redirect',
  'html_page',
  'login_page',
  'not_json',
  'unknown_answer',
  'no_model_list',
  'model_unknown',
  // The provider's own state.
  'no_credit',
  'rate_limited',
  'provider_error',
  'request_refused',
] as const

export type ProviderProblem = (typeof PROVIDER_PROBLEMS)[number]
