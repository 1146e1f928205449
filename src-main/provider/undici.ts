// The parts of undici with which requests are sent. Its index also loads fetch, WebSocket, caches and mocks, which every start would
// pay for and nothing here uses.

import request from 'undici/lib/api/api-request.js'
import buildConnector from 'undici/lib/core/connect.js'
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
import Pool from 'undici/lib/dispatcher/pool.js'

// What undici's index does with all of its ways to ask.
Object.assign(Dispatcher.prototype, { request })

export { buildConnector, Pool }
