// The reference as one page of HTML, made from the OpenAPI document. It needs no script: links and headings are all there is.

import { REFUSALS } from '#core/refusal.ts'
import { escapeHtml, type Html } from '#server/reference/html.ts'
import type { OpenApiDocument, Operation } from '#server/reference/openapi.ts'
import { operationHtml, type PlacedOperation } from '#server/reference/reference-operation.ts'
import { schemaHtml } from '#server/reference/reference-schema.ts'

/** In the place of the address under which a reader reaches the gateway; nothing else in the page looks like it. */
const ADDRESS = 'http://farebox.invalid'

/** Prepares the page once; the function returned fills in the address, such as `http://127.0.0.1:3273`. */
export function referencePage(document: OpenApiDocument): (address: string) => Html {
  const groups = groupsOf(document)
  const page = [
    '<!doctype html>',
    '<html lang="en">',
    head(document),
    '<body>',
    '<a class="skip" href="#content">Skip to the content</a>',
    `<header class="top"><p class="brand">Farebox <span>API ${escapeHtml(document.info.version)}</span></p>`,
    '<a href="/docs/openapi.json">OpenAPI document</a></header>',
    `<div class="layout">${navigation(groups)}`,
    `<main id="content">${introduction(document)}${groups.map(groupHtml).join('')}${schemas(document)}</main>`,
    '</div></body></html>',
  ].join('\n')
  return (address) => page.replaceAll(ADDRESS, escapeHtml(address))
}

type Group = { readonly name: string; readonly about: string; readonly operations: readonly PlacedOperation[] }

/** Operations by their group, in the order of the document; another path for the same one is told beside it. */
function groupsOf({ tags, paths, components }: OpenApiDocument): Group[] {
  const placed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const others = (one: { method: string; path: string }) =>
    placed
      .filter(({ method, operation }) => method === one.method && operation['x-farebox-same-as'] === one.path)
      .map(({ path }) => path)
  const own = placed.filter(({ operation }) => operation['x-farebox-same-as'] === undefined)
  return tags.map(({ name, description }) => ({
    name,
    about: description,
    operations: own
      .filter(({ operation }) => operation.tags[0] === name)
      .map((one) => ({ ...one, others: others(one), components: components.schemas, address: ADDRESS })),
  }))
}

function head({ info }: OpenApiDocument): Html {
  return [
    '<head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(info.title)} API</title>`,
    '<link rel="stylesheet" href="/docs/reference.css"></head>',
  ].join('')
}

function navigation(groups: readonly Group[]): Html {
  const entry = ({ method, path, operation }: PlacedOperation) =>
    `<li><a href="#${idOf(operation)}"><span class="method">${method}</span> ${escapeHtml(path)}</a></li>`
  const list = groups.map(
    ({ name, operations }) =>
      `<li><a class="group" href="#${slug(name)}">${escapeHtml(name)}</a><ul>${operations.map(entry).join('')}</ul></li>`,
  )
  const rest = '<li><a class="group" href="#schemas">Schemas</a></li>'
  return `<nav aria-label="Endpoints"><ul><li><a class="group" href="#calling">Calling it</a></li>${list.join('')}${rest}</ul></nav>`
}

function introduction({ info, components }: OpenApiDocument): Html {
  const ways = Object.values(components.securitySchemes).map((scheme) => {
    const where = scheme['scheme'] === 'bearer' ? 'Authorization: Bearer' : `${scheme['in']} ${scheme['name']}`
    return `<tr><td><code>${escapeHtml(where)}</code></td><td>${escapeHtml(scheme['description'] ?? '')}</td></tr>`
  })
  const refusals = Object.entries(REFUSALS).map(
    ([code, { status, errorType }]) =>
      `<tr><td>${status}</td><td><code>${errorType}</code></td><td>${escapeHtml(code.replaceAll('_', ' '))}</td></tr>`,
  )
  return [
    `<section id="calling"><h1>Calling Farebox</h1><p>${escapeHtml(info.description)}</p>`,
    `<p>This gateway is at <code>${ADDRESS}</code>. In the examples <code>$FAREBOX_KEY</code> is a key, and `,
    '<code>$FAREBOX_TOKEN</code> the token of the command line.</p>',
    `<h2>Who asks</h2>${tableHtml(['sent as', 'what it is'], ways)}`,
    '<p>A session needs its cookie and its header together. A key never opens the admin API, and a session never a call.</p>',
    `<h2>Errors</h2>${tableHtml(['status', 'type', 'because'], refusals)}`,
    '<p>Every answer has an <code>x-request-id</code>.</p></section>',
  ].join('')
}

function groupHtml({ name, about, operations }: Group): Html {
  const articles = operations.map(operationHtml).join('')
  return `<section id="${slug(name)}"><h2>${escapeHtml(name)}</h2><p class="about">${escapeHtml(about)}</p>${articles}</section>`
}

function schemas({ components }: OpenApiDocument): Html {
  const all = Object.entries(components.schemas).sort(([one], [other]) => one.localeCompare(other))
  const list = all.map(
    ([name, schema]) => `<section id="schema-${name}"><h3>${name}</h3>${schemaHtml(schema)}</section>`,
  )
  return `<section id="schemas"><h2>Schemas</h2>${list.join('')}</section>`
}

function tableHtml(headers: readonly string[], rows: readonly Html[]): Html {
  const cells = headers.map((header) => `<th scope="col">${header}</th>`).join('')
  return `<div class="scroll"><table><thead><tr>${cells}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

function idOf({ operationId }: Operation): string {
  return operationId
}

function slug(name: string): string {
  return `group-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`
}
